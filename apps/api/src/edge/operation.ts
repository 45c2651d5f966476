import type { OperationId } from '@booking-service/contracts';
import { applyDecorators, type ExecutionContext, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ApiIncludeEndpoint, ApiOperation } from '@nestjs/swagger';

/** What a handler serves: an operation, a path of the interface without one, or what is open to everybody. */
type Service = OperationId | 'no operation' | 'public';

const Serves = Reflector.createDecorator<Service>();
const reflector = new Reflector();

/** Marks the handler of an operation of the contract: scope, schemas and documentation follow. */
export const Operation = (id: OperationId): MethodDecorator =>
  applyDecorators(Serves(id), ApiIncludeEndpoint(), ApiOperation({ operationId: id }));

/** Marks a handler of the interface without an operation: any valid token is enough, and requests are counted. */
export const NoOperation = (): MethodDecorator => Serves('no operation');

/** Marks what requires no token and has no rate limit: monitoring and pages. */
export const Public = (): ClassDecorator & MethodDecorator => Serves('public');

/** What the handler of a request serves; undefined without a mark, with which no application starts. */
export function serviceOf(context: Pick<ExecutionContext, 'getClass' | 'getHandler'>): Service | undefined {
  return reflector.getAllAndOverride(Serves, [context.getHandler(), context.getClass()]);
}

/** Ends the start of an application with a handler that has no mark: guards would not know what it requires. */
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
