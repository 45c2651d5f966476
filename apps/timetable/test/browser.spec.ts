import './browser/booking.js';
import './browser/crowd.js';
import './browser/day.js';
import './browser/others.js';
import './browser/keys.js';
import './browser/sight.js';
import './browser/tokens.js';
import './browser/week.js';
