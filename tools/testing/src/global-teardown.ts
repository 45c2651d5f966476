export { stopPostgres as default } from './global-setup.js';
