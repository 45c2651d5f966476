-- Creates the database and the roles of the service, unless they exist. Run it as a superuser, or as the administrator
-- of a managed database (CREATEROLE, CREATEDB), with BOOKINGS_OWNER_PASSWORD and BOOKINGS_PASSWORD in the environment:
--   psql --file deploy/create-roles.sql postgres
-- Run it again after a migration, with BOOKINGS_DESK_PASSWORD alone, for the role of a cancel desk.
\set ON_ERROR_STOP 1

-- The role bookings_owner migrates, the role bookings serves.
\getenv owner_password BOOKINGS_OWNER_PASSWORD
\getenv password BOOKINGS_PASSWORD
\if :{?owner_password}
  SELECT format('CREATE ROLE bookings_owner LOGIN PASSWORD %L', :'owner_password')
    WHERE to_regrole('bookings_owner') IS NULL \gexec
\else
  \warn BOOKINGS_OWNER_PASSWORD is not in the environment: the role bookings_owner is not created.
\endif
\if :{?password}
  SELECT format('CREATE ROLE bookings LOGIN PASSWORD %L', :'password') WHERE to_regrole('bookings') IS NULL \gexec

  -- No statement or session outlives its caller. No plan is compiled (jit), since that takes longer than running it.
  -- The service sets this itself, but a pooler loses such settings.
  ALTER ROLE bookings SET statement_timeout = '2500ms';
  ALTER ROLE bookings SET idle_in_transaction_session_timeout = '5s';
  ALTER ROLE bookings SET tcp_keepalives_idle = '60s';
  ALTER ROLE bookings SET jit = off;
\else
  \warn BOOKINGS_PASSWORD is not in the environment: the role bookings is not created.
\endif

-- Only a superuser or a member of a role may give it a database, end its sessions, or revoke its rights.
SELECT format('GRANT %I TO CURRENT_USER', service.rolname) FROM pg_roles AS service, pg_roles AS own
  WHERE service.rolname IN ('bookings_owner', 'bookings') AND own.rolname = current_user AND NOT own.rolsuper \gexec
SELECT 'CREATE DATABASE bookings OWNER bookings_owner ENCODING ''UTF8'' TEMPLATE template0'
  WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'bookings') \gexec

-- A cancel desk may read and delete bookings. Its deletes block creates of the same slot, so they are bounded too.
\getenv desk_password BOOKINGS_DESK_PASSWORD
\if :{?desk_password}
  SELECT format('CREATE ROLE bookings_desk LOGIN PASSWORD %L', :'desk_password')
    WHERE to_regrole('bookings_desk') IS NULL \gexec
  ALTER ROLE bookings_desk SET statement_timeout = '2500ms';
  ALTER ROLE bookings_desk SET idle_in_transaction_session_timeout = '5s';
  -- A crash brings no cancelled booking back, whatever the database's default.
  ALTER ROLE bookings_desk SET synchronous_commit = on;
  \connect bookings
  GRANT SELECT, DELETE ON bookings TO bookings_desk;
\endif
