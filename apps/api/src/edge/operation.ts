import type { IncomingMessage } from 'node:http';
import type { OperationId } from '@booking-service/contracts';
import { type ExecutionContext, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
// Nest has no documented way to tell the handlers of a controller from its other methods.
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';

/** The operation that a handler serves or, for a handler without an operation, who may call it. */
type Access = OperationId | 'any token' | 'public';

const AccessDecorator = Reflector.createDecorator<Access>();
const reflector = new Reflector();

/** Marks the handler of an operation, whose required scope is defined by the contract. */
export const Operation = (id: OperationId): MethodDecorator => AccessDecorator(id);

/** Marks a handler under /v1 without an operation: but for OPTIONS, requests need any valid token, and are counted. */
export const AnyToken = (): MethodDecorator => AccessDecorator('any token');

/** Marks a handler or controller that needs no token and has no rate limit, such as monitoring and pages. */
export const Public = (): ClassDecorator & MethodDecorator => AccessDecorator('public');

/** Who may send a request. Browsers send OPTIONS without a token (Fetch, "CORS-preflight request"): it has no caller. */
export function accessOf(context: ExecutionContext): Access | undefined {
  const { method } = context.switchToHttp().getRequest<IncomingMessage>();
  return method === 'OPTIONS' ? 'public' : declaredAccess(context.getHandler(), context.getClass());
}

function declaredAccess(...targets: Parameters<Reflector['getAllAndOverride']>[1]): Access | undefined {
  return reflector.getAllAndOverride(AccessDecorator, targets);
}

/** Denies by default: an application with an undecorated handler does not start. */
@Injectable()
export class AccessDecoratorCheck implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws Error that names the first undecorated handler */
  onModuleInit(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const { name, prototype } = metatype as Type<Record<string, () => unknown>>;
      for (const method of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[method]!;
        const isHandler = Reflect.hasMetadata(PATH_METADATA, handler);
        if (isHandler && declaredAccess(handler, metatype as Type) === undefined) {
          throw new Error(`${name}.${method} needs @Operation(), @AnyToken() or @Public().`);
        }
      }
    }
  }
}
