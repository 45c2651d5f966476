import type { OperationId } from '@booking-service/contracts';
import type { Locator, Page } from 'playwright-core';

/** One operation on the page of Swagger UI, unfolded. */
export class SwaggerUiOperation {
  private constructor(
    private readonly page: Page,
    private readonly block: Locator,
    private readonly id: OperationId,
  ) {}

  static async open(page: Page, id: OperationId): Promise<SwaggerUiOperation> {
    const block = page.locator(`.opblock[id$="-${id}"]`);
    const execute = block.getByRole('button', { name: 'Execute' });
    if (!(await execute.isVisible())) await block.locator('.opblock-summary-control').click();
    await execute.waitFor();
    return new SwaggerUiOperation(page, block, id);
  }

  /** Writes another payload over the example. */
  edit(payload: string): Promise<void> {
    return this.block.locator('textarea.body-param__text').fill(payload);
  }

  fill(parameter: string, value: string): Promise<void> {
    return this.block.locator(`tr[data-param-name="${parameter}"] input`).fill(value);
  }

  /** Presses "Execute"; what the page then shows of the response. */
  async execute(): Promise<{ status: number; body: unknown }> {
    const method = this.id === 'createBooking' ? 'POST' : 'GET';
    const response = this.page.waitForResponse(
      (response) => response.request().method() === method && response.url().includes('/v1/bookings'),
    );
    await this.block.getByRole('button', { name: 'Execute' }).click();
    const sent = (await (await response).request().response())!;
    const shown = this.block.locator('.live-responses-table tbody > tr.response').first();
    // The last response stays on the page until this one takes its place: wait for the id of this one.
    await shown.getByText(sent.headers()['x-request-id']!).waitFor();
    return {
      status: Number.parseInt(await shown.locator('.response-col_status').innerText(), 10),
      body: JSON.parse(await shown.locator('.highlight-code code').innerText()) as unknown,
    };
  }
}
