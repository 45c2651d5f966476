import type { ResponseHeader } from './headers.js';

/** What all responses with one `type` have in common. */
export interface ProblemContract {
  status: number;
  title: string;
  /** The `detail` of responses in which the service has nothing more specific to say. */
  detail: string;
  /** Headers that a response of an operation may have besides `commonResponseHeaders`. */
  headers?: readonly ResponseHeader[];
  /** Extension members that every response has (RFC 9457 §3.2). */
  members?: readonly ('errors' | 'conflicting_slot')[];
  /** Ids of the operations that respond with it. None for problems of routes, methods and HTTP itself. */
  operations?: 'all' | 'all with tokens' | readonly string[];
}
