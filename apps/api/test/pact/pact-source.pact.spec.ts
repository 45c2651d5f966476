import { fileURLToPath } from 'node:url';
import { pactSource } from './pact-source.js';

const local = ['/pacts/one.json'];
const broker = { PACT_BROKER_BASE_URL: 'https://broker.example' };
const inCi = { CI: 'true', TEST_STORE: 'postgres' };
const actions = { GITHUB_SHA: 'c0ffee', GITHUB_REF_NAME: 'main' };

const sourceOf = (env: Record<string, string>, git: (...question: string[]) => string = () => '') =>
  pactSource(env, local, git);

describe('Contracts come', () => {
  it.each([{}, inCi, { PACT_BROKER_TOKEN: 't' }, { PACT_BROKER_BASE_URL: '', PACT_URL: '' }])(
    'from the files where no broker is named, and nothing is published: %j',
    (env) => expect(sourceOf(env)).toEqual({ pactUrls: local }),
  );

  it('from the broker that is named, and from no file', () => {
    const source = sourceOf(broker);
    expect(source).toMatchObject({ pactBrokerUrl: 'https://broker.example', enablePending: true });
    expect(source).not.toHaveProperty('pactUrls');
  });

  it('from the one address that a webhook names, whatever broker is named', () => {
    const source = sourceOf({ ...broker, PACT_URL: 'https://broker.example/pacts/7', PACT_BROKER_TOKEN: 't' });
    expect(source).toEqual({ pactUrls: ['https://broker.example/pacts/7'], pactBrokerToken: 't' });
  });

  it('from the one file that is named, whose path may be relative to the root of the repository', () => {
    const root = fileURLToPath(new URL('../../../../', import.meta.url));
    expect(sourceOf({ PACT_URL: 'examples/pacts/a.json' })).toMatchObject({
      pactUrls: [`${root}examples/pacts/a.json`],
    });
    expect(sourceOf({ PACT_URL: '/pacts/a.json' })).toMatchObject({ pactUrls: ['/pacts/a.json'] });
  });
});

describe('A broker gets requests', () => {
  const named = { PACT_BROKER_USERNAME: 'u', PACT_BROKER_PASSWORD: 'p' };

  it('with a token, which wins over a name', () => {
    const source = sourceOf({ ...broker, ...named, PACT_BROKER_TOKEN: 't' });
    expect(source).toMatchObject({ pactBrokerToken: 't' });
    expect(source).not.toHaveProperty('pactBrokerUsername');
  });

  it('with a name and a password', () => {
    expect(sourceOf({ ...broker, ...named })).toMatchObject({ pactBrokerUsername: 'u', pactBrokerPassword: 'p' });
  });
});

describe('A result is published', () => {
  it.each([
    ['GIT_COMMIT and GIT_BRANCH', { GIT_COMMIT: 'a', GIT_BRANCH: 'b', ...actions }, 'a', 'b'],
    ['a pull request of GitHub Actions', { ...actions, GITHUB_HEAD_REF: 'feat/x' }, 'c0ffee', 'feat/x'],
    ['a push of GitHub Actions', { ...actions, GITHUB_HEAD_REF: '' }, 'c0ffee', 'main'],
  ])('for the commit and branch of %s', (_, env, providerVersion, providerVersionBranch) => {
    const published = { publishVerificationResult: true, providerVersion, providerVersionBranch };
    expect(sourceOf({ ...broker, ...inCi, ...env })).toMatchObject(published);
    expect(sourceOf({ PACT_URL: 'https://broker.example/1', ...inCi, ...env })).toMatchObject(published);
  });

  it('for those of git where nothing names them', () => {
    const git = (...question: string[]) => `of git ${question.join(' ')}`;
    expect(sourceOf({ ...broker, ...inCi }, git)).toMatchObject({
      providerVersion: 'of git rev-parse HEAD',
      providerVersionBranch: 'of git branch --show-current',
    });
  });

  it.each([
    ['outside CI', {}],
    ['where CI is false', { CI: 'false', TEST_STORE: 'postgres' }],
    ['for the store in memory', { CI: 'true' }],
  ])('not %s; the branch is still sent to the broker', (_, env) => {
    const source = sourceOf({ ...broker, ...actions, ...env });
    expect(source).toMatchObject({ providerVersionBranch: 'main' });
    expect(source).not.toHaveProperty('publishVerificationResult');
  });

  it.each([{}, { GIT_COMMIT: 'a' }, { GIT_BRANCH: 'b' }])('never without a commit and a branch: %j', (env) => {
    expect(() => sourceOf({ ...broker, ...inCi, ...env })).toThrow(/set GIT_COMMIT and GIT_BRANCH/);
  });
});
