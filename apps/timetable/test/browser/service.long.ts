import { until } from 'testing';
import { client, desk, INTERFACE, service, slotOf } from '../support/timetable.js';

const { page, panel } = desk;

describe('A service that does not respond', () => {
  it('is told from a proxy that leads elsewhere, to sign in', async () => {
    await desk.goTo();
    await page.route(INTERFACE, (route) => route.fulfill({ status: 302, headers: { Location: '/login' } }));
    await desk.pass();
    await desk.says('trouble', /^Reload the page, and sign in: another server has responded since/);
  });

  it('is reported once', async () => {
    await desk.goTo();
    await page.route(INTERFACE, (route) => route.abort());
    await desk.pass();
    await page.getByText('The service has not responded since').waitFor();
    expect(await page.getByText('The service has not responded since').count()).toBe(1);
    expect(await page.locator('#toast').innerText()).toBe('');
  });
});

it.each([503, 429])(
  'the address of a booking opens it once a service that responds with %d has recovered',
  async (status) => {
    const slot = slotOf(`hall ${status}`, '10:00', '11:00');
    const { booking_id: id } = await client.create({ slot, title: 'Zoë' });
    await page.goto('about:blank');
    await page.route(INTERFACE, (route) => route.fulfill({ status }));
    await page.goto(`${service.url}/timetable?zone=Europe/Berlin#${id}`);
    await desk.says('toast', 'This booking cannot be read now. It opens as soon as it can be.');
    await page.unrouteAll();
    await until(() => desk.pass(30).then(() => panel.isVisible()));
    expect(await panel.innerText()).toContain('Zoë');
  },
);
