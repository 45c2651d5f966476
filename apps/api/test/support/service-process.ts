export { failToStart, type LogLine, ServiceProcess } from 'testing';
