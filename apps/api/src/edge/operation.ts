import type { OperationId } from '@booking-service/contracts';
import { applyDecorators, type ExecutionContext, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ApiIncludeEndpoint, ApiOperation } from '@nestjs/swagger';

/** What a handler serves: an operation, a path of the interface without one, or what is open to everybody. */
type Service = OperationId | 'no operation' | 'public';

const Serves = Reflector.createDecorator<Service>();
const reflector = new Reflector();

/** The handler of an operation of the contract: its scope, its schemas and its documentation follow. */
export const Operation = (id: OperationId): MethodDecorator =>
  applyDecorators(Serves(id), ApiIncludeEndpoint(), ApiOperation({ operationId: id }));

/** A handler of the interface without an operation: a token of any scope is enough, and requests to it are counted. */
export const NoOperation = (): MethodDecorator => Serves('no operation');

/** A controller or handler that requires no token and has no rate limit: monitoring and pages. */
export const Public = (): ClassDecorator & MethodDecorator => Serves('public');

/** What the handler of a request serves; undefined for one without a mark, which {@link MarkedHandlers} keeps from starting. */
export function serviceOf(context: Pick<ExecutionContext, 'getClass' | 'getHandler'>): Service | undefined {
  return reflector.getAllAndOverride(Serves, [context.getHandler(), context.getClass()]);
}

/** Ends the start of an application with a handler that guards know nothing of. */
@Injectable()
export class MarkedHandlers implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
  ) {}

  /** @throws Error that names the first handler without a mark */
  onModuleInit(): void {
    for (const { metatype } of this.discovery.getControllers()) {
      const { name, prototype } = metatype as Type<Record<string, () => unknown>>;
      for (const method of this.scanner.getAllMethodNames(prototype)) {
        const handler = prototype[method]!;
        const isHandler = Reflect.hasMetadata(PATH_METADATA, handler);
        if (isHandler && serviceOf({ getHandler: () => handler, getClass: () => metatype as Type }) === undefined) {
          throw new Error(`${name}.${method} needs @Operation(), @NoOperation() or @Public().`);
        }
      }
    }
  }
}
