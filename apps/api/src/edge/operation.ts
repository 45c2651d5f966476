import type { OperationId } from '@booking-service/contracts';
import { applyDecorators, type ExecutionContext, Injectable, type OnModuleInit, type Type } from '@nestjs/common';
import { PATH_METADATA } from '@nestjs/common/constants.js';
import { DiscoveryService, MetadataScanner, Reflector } from '@nestjs/core';
import { ApiIncludeEndpoint, ApiOperation } from '@nestjs/swagger';

/** What a handler is for, which decides who may call it. */
type Access = OperationId | 'no operation' | 'public';

const AccessMark = Reflector.createDecorator<Access>();
const reflector = new Reflector();

/** Marks the handler of an operation of the contract: scope, schemas and documentation follow. */
export const Operation = (id: OperationId): MethodDecorator =>
  applyDecorators(AccessMark(id), ApiIncludeEndpoint(), ApiOperation({ operationId: id }));

/** Marks a handler of the interface without an operation: any valid token is enough, and requests are counted. */
export const NoOperation = (): MethodDecorator => AccessMark('no operation');

/** Marks what requires no token and has no rate limit: monitoring and pages. */
export const Public = (): ClassDecorator & MethodDecorator => AccessMark('public');

/** The mark of a handler, or of its controller; no application starts with a handler that has neither. */
export function accessOf(context: Pick<ExecutionContext, 'getClass' | 'getHandler'>): Access | undefined {
  return reflector.getAllAndOverride(AccessMark, [context.getHandler(), context.getClass()]);
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
        if (isHandler && accessOf({ getHandler: () => handler, getClass: () => metatype as Type }) === undefined) {
          throw new Error(`${name}.${method} needs @Operation(), @NoOperation() or @Public().`);
        }
      }
    }
  }
}
