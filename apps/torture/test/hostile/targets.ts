/** A request line and headers, and the status of the one response. */
export type TargetCase = [target: string, headers: string, status: number];

const HOST = 'Host: localhost\r\n';

/** Request targets of every form of RFC 9112 §3.2, and of none. */
export const targetCases: TargetCase[] = [
  // Origin form.
  ['GET /v1/bookings?limit=1', HOST, 200],
  ['GET /v1/bookings#fragment', HOST, 400],
  ['GET //[/v1/bookings', HOST, 404],
  ['GET /\\\\[', HOST, 404],
  ['GET /v1/bookings/http://[/', HOST, 404],
  // Absolute form.
  ['GET http://example.com/v1/bookings?limit=1', HOST, 200],
  ['GET HTTP://EXAMPLE.COM:8080/v1/bookings?limit=1', HOST, 200],
  ['GET https://[::1]:80/v1/bookings?limit=1', HOST, 200],
  ['GET http://example.com', HOST, 404],
  ['GET http://example.com?limit=1', HOST, 404],
  ['GET http://example.com//v1/bookings', HOST, 404],
  ['GET http://[/', '', 400],
  ['GET http://[/', 'Host: a,b\r\n', 400],
  ['GET http://[/', `${HOST}Expect: more\r\n`, 400],
  ['GET http://[/', HOST, 400],
  ['GET http://[/v1/bookings', HOST, 400],
  ['GET http://[::1/v1/bookings', HOST, 400],
  ['GET http://a:99999/v1/bookings', HOST, 400],
  ['GET http://user@a/v1/bookings', HOST, 400],
  ['GET http:///v1/bookings', HOST, 400],
  ['GET http://', HOST, 400],
  ['GET foo://bar', HOST, 400],
  ['GET foo://bar/v1/bookings', HOST, 400],
  ['GET https', HOST, 400],
  // Authority form: for CONNECT alone.
  ['GET localhost:1', HOST, 400],
  // Asterisk form: for OPTIONS alone.
  ['OPTIONS *', HOST, 404],
  ['GET *', HOST, 400],
  ['POST *', HOST, 400],
  // None.
  ['GET v1/bookings', HOST, 400],
  ['GET ?limit=1', HOST, 400],
  ['GET %2Fv1%2Fbookings', HOST, 400],
  ['GET /v1/bookings/%zz', HOST, 400],
];
