import type { OperationId } from '@booking-service/contracts';
import { applyDecorators } from '@nestjs/common';
import { ApiIncludeEndpoint, ApiOperation } from '@nestjs/swagger';

/** Has the OpenAPI document describe a handler as an operation of the contract. It sets no route. */
export function Operation(id: OperationId): MethodDecorator {
  return applyDecorators(ApiIncludeEndpoint(), ApiOperation({ operationId: id }));
}
