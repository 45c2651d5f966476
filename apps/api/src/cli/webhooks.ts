import { runCommand } from './command.js';
import { USAGE, webhooks } from './webhooks-command.js';

await runCommand(() => webhooks(process.argv.slice(2), process.env), USAGE);
