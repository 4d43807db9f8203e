"""Uploads: what is shared, under which hashes, by whom; removed ones are kept as tombstones."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from holdfast.catalogue import rules
from holdfast.catalogue.model import (
    SHARE,
    Actor,
    Category,
    Member,
    MemberRef,
    NoticeRole,
    Page,
    Removal,
    Upload,
    UploadFile,
    UploadRef,
)
from holdfast.catalogue.store import announce_keys, audit, categories, events, notices, points
from holdfast.catalogue.store.pages import paged
from holdfast.catalogue.tables import category, info_hash, member, torrent, upload, upload_file
from holdfast.errors import ConflictError, NotFoundError
from holdfast.store.records import outbox
from holdfast.store.records.numbers import count_on
from holdfast.wire.metainfo import Metainfo

INFO_HASH = "info_hash"


@dataclass(frozen=True, slots=True)
class Before:
    """What an upload was on another tracker: its number, kept where it is free, and its snatches."""

    id: int | None = None
    completed: int = 0


def add(
    tx: Connection,
    now: float,
    actor: Actor,
    metainfo: Metainfo,
    data: bytes,
    *,
    uploader: Member | None,
    category: str,
    name: str | None = None,
    award: bool = True,
    before: Before | None = None,
) -> Upload:
    """A new upload; the points its category is worth go to the uploader."""
    kind = categories.named(tx, category)
    title = rules.line("name of an upload", name or metainfo.name)
    upload_id = _insert(tx, now, metainfo, title, kind, uploader, before or Before())
    _own_hashes(tx, upload_id, metainfo)
    tx.execute(insert(torrent).values(upload_id=upload_id, torrent=data))
    rows = [
        {"upload_id": upload_id, "position": position, "path": "/".join(file.path), "size": file.size}
        for position, file in enumerate(metainfo.files)
    ]
    tx.execute(insert(upload_file), rows)
    if award and kind.points and uploader is not None:
        points.enter(tx, now, uploader.id, kind.points, f"Upload {upload_id}: {title}", upload_id=upload_id)
    added = get(tx, upload_id)
    _tell(tx, now, actor, added, "upload.import" if before else "upload.add", None, _audited(added))
    events.note(tx, now, actor.request_id, "upload.added", "uploads", {"id": upload_id})
    return added


def get(tx: Connection, upload_id: int) -> Upload:
    row = tx.execute(_uploads().where(upload.c.id == upload_id)).one_or_none()
    if row is None:
        raise NotFoundError(f"There is no upload {upload_id}; `holdfast upload list` shows all.")
    return _with_hashes(tx, [row])[0]


def listing(
    tx: Connection,
    *,
    cursor: str | None = None,
    limit: int = 50,
    q: str | None = None,
    category_name: str | None = None,
    uploader_id: int | None = None,
    removed: bool | None = False,
) -> Page[Upload]:
    """The newest first; `removed` None shows standing and removed ones together."""
    query = _uploads()
    if q:
        query = query.where(upload.c.name_key.contains(rules.name_key(q), autoescape=True))
    if category_name is not None:
        query = query.where(category.c.name_key == rules.name_key(category_name))
    if uploader_id is not None:
        query = query.where(upload.c.uploader_id == uploader_id)
    if removed is not None:
        query = query.where(upload.c.removed_at.is_not(None) if removed else upload.c.removed_at.is_(None))
    page = paged(tx, query, upload.c.id, cursor, limit, lambda row: row)
    return Page(_with_hashes(tx, page.items), page.next)


def refs(tx: Connection, ids: Collection[int]) -> dict[int, UploadRef]:
    columns = (upload.c.id, upload.c.name, upload.c.size, upload.c.removed_at)
    rows = tx.execute(select(*columns).where(upload.c.id.in_(ids)))
    return {row.id: UploadRef(row.id, row.name, row.size, row.removed_at is not None) for row in rows}


def files(tx: Connection, upload_id: int, *, cursor: str | None = None, limit: int = 50) -> Page[UploadFile]:
    get(tx, upload_id)
    query = select(upload_file).where(upload_file.c.upload_id == upload_id)
    return paged(
        tx,
        query,
        upload_file.c.position,
        cursor,
        limit,
        lambda row: UploadFile(row.path, row.size),
        newest_first=False,
    )


def torrent_of(tx: Connection, upload_id: int) -> bytes:
    """The torrent as it came in; a removed upload has nothing to fetch any more."""
    found = get(tx, upload_id)
    if found.removed is not None:
        raise ConflictError(f"Upload {upload_id} was removed: {found.removed.reason}")
    query = select(torrent.c.torrent).where(torrent.c.upload_id == upload_id)
    return bytes(tx.execute(query).scalar_one())


def change(
    tx: Connection,
    now: float,
    actor: Actor,
    upload_id: int,
    *,
    name: str | None = None,
    category: str | None = None,
    multi_up: float | None = None,
    multi_down: float | None = None,
    reason: str | None = None,
) -> Upload:
    """Change what is not None; the reason is that of the multipliers."""
    before = _locked(tx, upload_id)
    values: dict[str, Any] = dict(rules.shares(multi_up, multi_down, reason))
    if name is not None:
        values["name"] = rules.line("name of an upload", name)
        values["name_key"] = rules.name_key(values["name"])
    if category is not None:
        values["category_id"] = categories.named(tx, category).id
    if values:
        tx.execute(update(upload).where(upload.c.id == upload_id).values(values))
    after = get(tx, upload_id)
    if after != before:
        old, new = audit.difference(_changeable(before), _changeable(after))
        if reason is not None:
            new["reason"] = rules.line("reason", reason, 500)
            _note_hashes(tx, now, actor, after)
        audit.record(tx, now, actor, "upload.change", "upload", upload_id, after.name, old, new)
        events.note(tx, now, actor.request_id, "upload.changed", "uploads", {"id": upload_id})
    return after


def remove(
    tx: Connection, now: float, actor: Actor, upload_id: int, reason: str, *, sinks: tuple[str, ...] = ()
) -> Upload:
    """Take an upload out of the catalogue; what it earned is taken back and its uploader is told why."""
    before = _locked(tx, upload_id)
    sentence = rules.removal_reason(reason)
    if before.removed is not None:
        raise ConflictError(f"Upload {upload_id} was removed already: {before.removed.reason}")
    values = {"removed_at": now, "removed_reason": sentence, "removed_by": actor.member_id}
    tx.execute(update(upload).where(upload.c.id == upload_id).values(values))
    for member_id, earned in points.of_upload(tx, upload_id):
        if earned:
            text = f"Upload {upload_id} was removed: {before.name}"
            points.enter(tx, now, member_id, -earned, text, upload_id=upload_id, by=actor.member_id)
    uploader_id = before.uploader.id if before.uploader else None
    if uploader_id is not None and uploader_id != actor.member_id:
        notices.send(
            tx,
            now,
            uploader_id,
            "upload.removed",
            NoticeRole.UPLOADER,
            f"Your upload “{before.name}” was removed",
            f"Upload {upload_id}, “{before.name}”, was removed by {actor.name}. Reason: {sentence}",
            sinks=sinks,
            request_id=actor.request_id,
        )
    after = get(tx, upload_id)
    _tell(tx, now, actor, after, "upload.remove", None, {"reason": sentence})
    announce_keys.upload_removed(tx, now, actor, upload_id)
    events.note(tx, now, actor.request_id, "upload.removed", "uploads", {"id": upload_id})
    return after


def totals(tx: Connection) -> dict[str, int]:
    """How many uploads stand, how large they are together, and how many were removed."""
    standing = upload.c.removed_at.is_(None)
    query = select(
        func.count().filter(standing),
        func.coalesce(func.sum(upload.c.size).filter(standing), 0),
        func.count(),
    ).select_from(upload)
    count, size, every = tx.execute(query).one()
    return {"uploads": count, "size": int(size), "removed": every - count}


def of_hashes(tx: Connection, metainfo: Metainfo) -> Upload | None:
    """The upload that one of these hashes means already."""
    hashes = [whole[:20].hex() for whole in (metainfo.v1_hash, metainfo.v2_hash) if whole]
    found = tx.execute(select(info_hash.c.upload_id).where(info_hash.c.info_hash.in_(hashes))).scalar()
    return None if found is None else get(tx, found)


def _insert(
    tx: Connection,
    now: float,
    metainfo: Metainfo,
    title: str,
    kind: Category,
    uploader: Member | None,
    before: Before,
) -> int:
    number = before.id
    if number is not None and tx.execute(select(upload.c.id).where(upload.c.id == number)).first():
        number = None
    query = insert(upload).values(
        **({} if number is None else {"id": number}),
        name=title,
        name_key=rules.name_key(title),
        category_id=kind.id,
        uploader_id=uploader.id if uploader else None,
        size=metainfo.total_size,
        piece_length=metainfo.piece_length,
        piece_count=metainfo.piece_count,
        file_count=len(metainfo.files),
        private=metainfo.private,
        source=rules.remark(metainfo.source) if metainfo.source is not None else None,
        comment=rules.remark(metainfo.comment or ""),
        created=now,
        completed=before.completed,
        seeders=0,
        leechers=0,
    )
    upload_id = int(tx.execute(query.returning(upload.c.id)).scalar_one())
    if number is not None:
        count_on(tx, upload)
    return upload_id


def _own_hashes(tx: Connection, upload_id: int, metainfo: Metainfo) -> None:
    """Both hashes of a hybrid mean this upload; a hash that means another one already is refused."""
    for version, whole in ((1, metainfo.v1_hash), (2, metainfo.v2_hash)):
        if whole is None:
            continue
        announced = whole[:20].hex()
        row = {"info_hash": announced, "version": version, "whole": whole.hex(), "upload_id": upload_id}
        try:
            with tx.begin_nested():
                tx.execute(insert(info_hash).values(row))
        except IntegrityError as error:
            raise _taken(tx, announced) from error


def _taken(tx: Connection, announced: str) -> ConflictError:
    query = select(info_hash.c.upload_id).where(info_hash.c.info_hash == announced)
    there = get(tx, tx.execute(query).scalar_one())
    fate = f", removed: {there.removed.reason}" if there.removed else ""
    return ConflictError(
        f"This torrent is upload {there.id} already, “{there.name}”{fate}.", upload_id=there.id
    )


def _tell(
    tx: Connection, now: float, actor: Actor, one: Upload, action: str, before: Any, after: dict[str, Any]
) -> None:
    audit.record(tx, now, actor, action, "upload", one.id, one.name, before, after)
    _note_hashes(tx, now, actor, one)


def _note_hashes(tx: Connection, now: float, actor: Actor, one: Upload) -> None:
    hashes = [whole[:40] for whole in (one.info_hash_v1, one.info_hash_v2) if whole]
    outbox.note(tx, now, actor.request_id, [(INFO_HASH, announced) for announced in hashes])


def _uploads() -> Select[Any]:
    remover = member.alias("remover")
    return (
        select(
            upload,
            category.c.name.label("category_name"),
            category.c.points.label("category_points"),
            member.c.name.label("uploader_name"),
            remover.c.name.label("remover_name"),
        )
        .join(category, category.c.id == upload.c.category_id)
        .outerjoin(member, member.c.id == upload.c.uploader_id)
        .outerjoin(remover, remover.c.id == upload.c.removed_by)
    )


def _locked(tx: Connection, upload_id: int) -> Upload:
    tx.execute(select(upload.c.id).where(upload.c.id == upload_id).with_for_update(key_share=True))
    return get(tx, upload_id)


def _with_hashes(tx: Connection, rows: list[Row[Any]]) -> list[Upload]:
    hashes: dict[int, dict[int, str]] = {row.id: {} for row in rows}
    for found in tx.execute(select(info_hash).where(info_hash.c.upload_id.in_(hashes))):
        hashes[found.upload_id][found.version] = found.whole
    return [_upload(row, hashes[row.id]) for row in rows]


def _upload(row: Row[Any], hashes: dict[int, str]) -> Upload:
    removal = None
    if row.removed_at is not None:
        by = MemberRef(row.removed_by, row.remover_name) if row.removed_by is not None else None
        removal = Removal(row.removed_at, row.removed_reason, by)
    return Upload(
        id=row.id,
        name=row.name,
        category=Category(row.category_id, row.category_name, row.category_points),
        uploader=MemberRef(row.uploader_id, row.uploader_name) if row.uploader_id is not None else None,
        size=row.size,
        piece_length=row.piece_length,
        piece_count=row.piece_count,
        file_count=row.file_count,
        info_hash_v1=hashes.get(1),
        info_hash_v2=hashes.get(2),
        private=row.private,
        source=row.source,
        comment=row.comment,
        created=row.created,
        last_action=row.last_action,
        completed=row.completed,
        seeders=row.seeders,
        leechers=row.leechers,
        removed=removal,
        multi_up=row.multi_up / SHARE,
        multi_down=row.multi_down / SHARE,
    )


def _changeable(one: Upload) -> dict[str, Any]:
    return {
        "name": one.name,
        "category": one.category.name,
        "multi_up": one.multi_up,
        "multi_down": one.multi_down,
    }


def _audited(one: Upload) -> dict[str, Any]:
    return {
        "name": one.name,
        "category": one.category.name,
        "uploader": one.uploader.name if one.uploader else None,
        "size": one.size,
        "info_hash_v1": one.info_hash_v1,
        "info_hash_v2": one.info_hash_v2,
    }
