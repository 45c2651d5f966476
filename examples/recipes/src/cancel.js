/** A client of the cancel desk. */
const { DESK_URL = 'http://localhost:4100', DESK_TOKEN = '' } = process.env;

/** @param {string} id @returns whether the booking existed */
export async function cancel(id) {
  const headers = { Authorization: `Bearer ${DESK_TOKEN}` };
  const response = await fetch(`${DESK_URL}/bookings/${id}`, { method: 'DELETE', headers });
  if (response.status !== 204 && response.status !== 404) throw new Error(`The desk responded with ${response.status}`);
  return response.status === 204;
}
