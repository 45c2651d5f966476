/** `redocly lint` with its strictest rules, without the program of Redocly, which reports that it is used. */
import { fileURLToPath } from 'node:url';
import { createConfig, lint } from '@redocly/openapi-core';

const ref = fileURLToPath(import.meta.resolve('@booking-service/contracts/openapi.json'));
const config = await createConfig({ extends: ['recommended-strict'] });
const problems = await lint({ ref, config });
for (const { ruleId, message, location } of problems)
  process.stderr.write(`${location[0]?.pointer ?? ''} ${ruleId}: ${message}\n`);
process.exitCode = problems.length === 0 ? 0 : 1;
