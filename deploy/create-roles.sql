-- The roles and the database of the service, unless they exist: one role owns the tables and migrates, the other serves.
-- As a superuser, with BOOKINGS_OWNER_PASSWORD and BOOKINGS_PASSWORD in the environment:
--   psql --file deploy/create-roles.sql postgres
-- With BOOKINGS_DESK_PASSWORD too, once the tables are there, a third role may read and delete bookings: a cancel desk.
\set ON_ERROR_STOP 1
\getenv owner_password BOOKINGS_OWNER_PASSWORD
\getenv password BOOKINGS_PASSWORD
SELECT format('CREATE ROLE %I LOGIN PASSWORD %L', name, password)
  FROM (VALUES ('bookings_owner', :'owner_password'), ('bookings', :'password')) AS needed (name, password)
  WHERE to_regrole(name) IS NULL \gexec
-- What ends on the server when a caller is gone, also with a pooler, which keeps no settings of a session.
ALTER ROLE bookings SET statement_timeout = '2500ms';
ALTER ROLE bookings SET idle_in_transaction_session_timeout = '5s';
ALTER ROLE bookings SET tcp_keepalives_idle = '60s';
SELECT 'CREATE DATABASE bookings OWNER bookings_owner ENCODING ''UTF8'' TEMPLATE template0'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'bookings') \gexec
\getenv desk_password BOOKINGS_DESK_PASSWORD
\if :{?desk_password}
  SELECT format('CREATE ROLE bookings_desk LOGIN PASSWORD %L', :'desk_password')
    WHERE to_regrole('bookings_desk') IS NULL \gexec
  -- Creates of a slot wait for its delete.
  ALTER ROLE bookings_desk SET statement_timeout = '2500ms';
  ALTER ROLE bookings_desk SET idle_in_transaction_session_timeout = '5s';
  \connect bookings
  GRANT SELECT, DELETE ON bookings TO bookings_desk;
\endif
