/** The key in `localStorage` of the resources that this browser has seen. */
const KEY = 'bookings-resources';
const MOST = 500;
/** 1 to 200 code points without control characters, as in the interface. */
const NAME = /^[^\p{Cc}\p{Cs}]{1,200}$/u;

/** Resources named by the operator, and those that this browser has seen at the same service. */
export function knownResources(service: string, named: string): string[] {
  const names = [...named.split(',').map((name) => name.trim()), ...seen(service)];
  return names.filter((name) => NAME.test(name));
}

/** Remembers resources; nothing else of a booking is stored. */
export function rememberResources(service: string, names: Iterable<string>): void {
  try {
    localStorage.setItem(`${KEY} ${service}`, JSON.stringify([...names].slice(-MOST)));
  } catch {
    // Storage is full or disabled: the resources are found in bookings again.
  }
}

function seen(service: string): string[] {
  try {
    const names = JSON.parse(localStorage.getItem(`${KEY} ${service}`) ?? '[]') as unknown;
    return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
  } catch {
    return [];
  }
}

/** Forgets the resources of this service. */
export function forgetResources(service: string): void {
  try {
    localStorage.removeItem(`${KEY} ${service}`);
  } catch {
    // Storage is disabled: there are none.
  }
}
