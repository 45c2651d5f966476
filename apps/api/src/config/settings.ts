import { getHeapStatistics } from 'node:v8';
import { resourceIdSchema } from '@booking-service/contracts';
import { z } from 'zod';
import { logFormats, logLevels } from '../platform/observability/logger.js';
import { database, events, oidc, rateLimit } from './grouped-settings.js';
import { Setting } from './setting.js';
import { flag, isOrigin, listOf, oneOf, text, wholeNumber } from './variable-types.js';

/** Default of MAX_UNSENT_MIB: an eighth of Node's heap limit, but at least 1 MiB and at most 256 MiB. */
const UNSENT_MIB = Math.max(1, Math.min(256, Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20 / 8)));

/** Every variable that the service reads (docs/configuration.md), by the place of its value in the configuration. */
export const settings = {
  port: new Setting('PORT', 'port to listen on; 0 picks a free one', wholeNumber(0, 65_535).default(3_000)),
  host: new Setting(
    'HOST',
    'address to listen on; `0.0.0.0` or `::` for all',
    text('an address or host name of this machine').default('127.0.0.1'),
  ),
  environment: new Setting(
    'NODE_ENV',
    '`production` requires `DATABASE_URL` or `STORE=memory`',
    text('any text').optional(),
  ),
  store: new Setting(
    'STORE',
    'where bookings are kept',
    oneOf(['memory', 'postgres']).optional(),
    '`postgres` if `DATABASE_URL` is set, else `memory`',
  ),
  memoryMaxBookings: new Setting(
    'MEMORY_MAX_BOOKINGS',
    'maximum bookings in memory',
    wholeNumber(1, 1_000_000).default(100_000),
  ),
  bookingSchemaFile: new Setting(
    'BOOKING_SCHEMA_FILE',
    'schema that creates must match',
    text('path of a JSON Schema').optional(),
  ),
  database,
  auth: {
    apiKeysFile: new Setting('AUTH_API_KEYS_FILE', 'file of API keys', text('path of a file').optional()),
    oidc,
  },
  corsOrigins: new Setting(
    'CORS_ORIGINS',
    'other origins whose pages may call the service',
    listOf(
      'origins such as `https://app.example` or `capacitor://localhost`, separated by commas; no `*`',
      z.string().refine(isOrigin, { error: 'must list origins such as https://app.example, without a path' }),
    ).optional(),
  ),
  swaggerUi: new Setting('SWAGGER_UI', 'Swagger UI at `/docs`', flag().default(true)),
  timetable: {
    isOn: new Setting('TIMETABLE', 'the page at `/timetable`', flag().default(true)),
    resources: new Setting(
      'TIMETABLE_RESOURCES',
      'resources that the timetable always shows',
      listOf(
        'names of resources, separated by commas',
        z.string().refine((name) => resourceIdSchema.safeParse(name).success, {
          error: 'must list names of 1 to 200 characters without control characters',
        }),
      ).optional(),
    ),
  },
  log: {
    level: new Setting('LOG_LEVEL', 'lowest level that is logged', oneOf(logLevels).default('info')),
    format: new Setting(
      'LOG_FORMAT',
      'format of log lines',
      oneOf(logFormats).optional(),
      '`pretty` in a terminal, else `json`',
    ),
    accessLog: new Setting('ACCESS_LOG', 'a line for every request', flag().default(false)),
    slowRequest: new Setting(
      'SLOW_REQUEST_MS',
      'milliseconds after which a request is slow',
      wholeNumber(1, 600_000).default(1_000),
    ),
  },
  shutdown: {
    delay: new Setting(
      'SHUTDOWN_DELAY_MS',
      'milliseconds for which new connections are accepted after a signal',
      wholeNumber(0, 600_000).default(0),
    ),
    timeout: new Setting(
      'SHUTDOWN_TIMEOUT_MS',
      'milliseconds for requests in flight after that',
      wholeNumber(1, 600_000).default(10_000),
    ),
  },
  server: {
    requestTimeout: new Setting(
      'REQUEST_TIMEOUT_MS',
      'milliseconds for a whole request; 10 s of them for the headers',
      wholeNumber(100, 600_000).default(15_000),
    ),
    responseTimeout: new Setting(
      'RESPONSE_TIMEOUT_MS',
      'milliseconds without progress in a response',
      wholeNumber(100, 600_000).default(30_000),
    ),
    keepAliveTimeout: new Setting(
      'KEEP_ALIVE_TIMEOUT_MS',
      'milliseconds that an idle connection is kept',
      wholeNumber(100, 600_000).default(5_000),
    ),
    maxConnections: new Setting(
      'MAX_CONNECTIONS',
      'open connections; further ones are closed',
      wholeNumber(1, 1_000_000).default(2_000),
    ),
    maxUnsentMib: new Setting(
      'MAX_UNSENT_MIB',
      'MiB of unread responses',
      wholeNumber(1, 65_536).default(UNSENT_MIB),
      "an eighth of Node's heap limit, at most 256",
    ),
  },
  events,
  rateLimit,
};
