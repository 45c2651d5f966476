import type { ArgumentsHost } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { DirectRequest } from './read-body.js';

// Not by `switchToHttp`, which makes three functions each time it is asked.

/** The request that a guard, a filter or the decorator of a parameter is asked about. */
export function requestOf(context: ArgumentsHost): Request & DirectRequest {
  return context.getArgByIndex<Request & DirectRequest>(0);
}

/** The response beside {@link requestOf}. */
export function responseOf(context: ArgumentsHost): Response {
  return context.getArgByIndex<Response>(1);
}
