import { withoutChromium } from 'testing/chromium';

/** @type {import('jest').Config} */
export default {
  preset: 'testing',
  testPathIgnorePatterns: withoutChromium('the timetable in a browser', '/test/browser/'),
};
