import { operations } from '@booking-service/contracts';
import { RequestMethod } from '@nestjs/common';
import { METHOD_METADATA, PATH_METADATA } from '@nestjs/common/constants.js';
import { MetadataScanner } from '@nestjs/core';
import { BookingsController } from '../../src/bookings/bookings.controller.js';

const contract = Object.values(operations).map(({ method, path }) => `${method} ${path}`);

/** Every route of the controller, as the contract writes it. */
function routes(): string[] {
  const controller: string = Reflect.getMetadata(PATH_METADATA, BookingsController);
  const handlers = BookingsController.prototype as unknown as Record<string, object>;
  return new MetadataScanner().getAllMethodNames(handlers).flatMap((name) => {
    const method: RequestMethod | undefined = Reflect.getMetadata(METHOD_METADATA, handlers[name]!);
    if (method === undefined) return [];
    return [Reflect.getMetadata(PATH_METADATA, handlers[name]!) as string | string[]].flat().map((path) => {
      const whole = `/${controller}/${path}`.replace(/\/+$/, '');
      return `${RequestMethod[method]} ${whole.replaceAll(/:(\w+)/g, '{$1}')}`;
    });
  });
}

describe('The routes of the bookings controller', () => {
  it('are the operations of the contract, by method and path', () => {
    expect(routes().filter((route) => !route.startsWith('ALL '))).toEqual(contract);
  });

  it('cover every other method at each of their paths', () => {
    const paths = new Set(contract.map((route) => route.replace(/^\w+/, 'ALL')));
    expect(routes().filter((route) => route.startsWith('ALL '))).toEqual([...paths]);
  });
});
