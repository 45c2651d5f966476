/** The first language of the browser. */
const language = globalThis.navigator?.language ?? 'en-GB';

/** What a browser knows of a locale's weeks, if it does. */
interface WithWeeks {
  readonly weekInfo?: { readonly firstDay: number };
  getWeekInfo?(): { readonly firstDay: number };
}

const locale = new Intl.Locale(language) as WithWeeks;

/** The day on which weeks begin: 1 is Monday, 7 is Sunday. */
export const firstDay = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay ?? 1;

/** Whether the clock of this locale has 12 hours. */
export const has12Hours = new Intl.DateTimeFormat(language, { hour: 'numeric' }).resolvedOptions().hour12 === true;

/** The page is in English: its dates are in the English of the browser. */
export const english = language.startsWith('en') ? language : 'en-GB';

/** `09`, or `9 AM`. */
export function hourText(hour: number): string {
  return has12Hours ? `${hour % 12 || 12} ${hour < 12 ? 'AM' : 'PM'}` : String(hour).padStart(2, '0');
}

/** `09:30`, or `9:30 AM`, of `HH:MM`; also with seconds. */
export function clockText(time: string): string {
  const hour = Number(time.slice(0, 2));
  return has12Hours ? `${hour % 12 || 12}${time.slice(2)} ${hour % 24 < 12 ? 'AM' : 'PM'}` : time;
}
