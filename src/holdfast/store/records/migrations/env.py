"""How Alembic reaches the records: over the connection and inside the transaction that `migrate` has."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
with context.begin_transaction():
    context.run_migrations()
