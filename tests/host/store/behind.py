"""Changes a store behind everybody's back, as whoever may write to its database can."""

from sqlalchemy import create_engine

# SQLite looks at no foreign key unless it is told to.
_LOOK_AWAY = {
    "sqlite": "PRAGMA ignore_check_constraints=on",
    "postgresql": "SET session_replication_role = replica",
}


def change(url, *statements):
    """Each of the statements changes something; no foreign key hinders it, and in SQLite no condition."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql(_LOOK_AWAY[engine.dialect.name])
        for statement in statements:
            assert connection.exec_driver_sql(statement).rowcount > 0, statement
    engine.dispose()
