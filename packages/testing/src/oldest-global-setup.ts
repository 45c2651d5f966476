export { startOldestPostgres as default } from './global-setup.js';
