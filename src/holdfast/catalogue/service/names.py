"""Who and what a number means, for the parts that keep numbers alone."""

from collections.abc import Collection

from holdfast.catalogue.model import MemberRef, Upload, UploadRef
from holdfast.catalogue.service.catalogue import Catalogue
from holdfast.catalogue.store import members, uploads


async def upload_named(catalogue: Catalogue, upload_id: int) -> Upload:
    return await catalogue.read(lambda tx: uploads.get(tx, upload_id))


async def members_named(catalogue: Catalogue, ids: Collection[int]) -> dict[int, MemberRef]:
    """A number that is nobody's is left out."""
    return await catalogue.read(lambda tx: members.refs(tx, ids))


async def uploads_named(catalogue: Catalogue, ids: Collection[int]) -> dict[int, UploadRef]:
    """A number that is no upload's is left out."""
    return await catalogue.read(lambda tx: uploads.refs(tx, ids))
