/**
 * Builds the Dockerfile without access to an image registry: `node deploy/build-image.js NAME`.
 * The base image is Debian from debootstrap with the npm packages `node` and `npm`, and is kept for the next build.
 * Requires root and Debian's packages buildah and debootstrap. Prints the size of the image.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [name = 'booking-service'] = process.argv.slice(2);
const workspace = join(import.meta.dirname, '..');
const SUITE = 'trixie';
/** The major version in the Dockerfile; npm may not have its latest release. */
const NODE = '26';
/** The package with the program, which the package `node` would install by a script. */
const NODE_PACKAGE = `node-linux-${process.arch}`;
const BASE = `localhost/node-of-npm:${NODE}-${SUITE}`;

/** For networks that inspect TLS. Only in the base image, from which the image takes nothing but Node. */
const OWN_AUTHORITIES = '/etc/own-authorities.pem';

const missing = ['buildah', 'debootstrap'].filter((tool) => spawnSync(tool, ['--version']).error !== undefined);
if (missing.length > 0 || process.getuid?.() !== 0) {
  process.stderr.write(`The image cannot be built here: it requires ${['root', ...missing].join(', ')}.\n`);
  process.exit(2);
}

if (spawnSync('buildah', ['inspect', '--type', 'image', BASE]).status !== 0) makeBase();
const build = [
  'bud',
  '--format=docker',
  '--isolation=chroot',
  '--network=host',
  '--layers=false',
  '--build-arg',
  `NODE_IMAGE=${BASE}`,
];
run('buildah', ...build, '--tag', name, workspace);
const bytes = sizeOf(name);
process.stdout.write(`${name}: ${(bytes / 1e6).toFixed(1)} MB\n`);

function makeBase() {
  const root = mkdtempSync(join(tmpdir(), 'image-base-'));
  run('debootstrap', '--variant=minbase', '--include=libatomic1,libstdc++6', SUITE, root);
  run('npm', 'install', '--global', '--prefix', join(root, 'usr/local'), `${NODE_PACKAGE}@${NODE}`, 'npm@11');
  copyFileSync(join(root, 'usr/local/lib/node_modules', NODE_PACKAGE, 'bin/node'), join(root, 'usr/local/bin/node'));
  const certificates = process.env['NODE_EXTRA_CA_CERTS'];
  if (certificates !== undefined) copyFileSync(certificates, join(root, OWN_AUTHORITIES));
  const container = execFileSync('buildah', ['from', 'scratch'], { encoding: 'utf8' }).trim();
  run('buildah', 'copy', '--quiet', container, root, '/');
  run('buildah', 'config', '--env', 'PATH=/usr/local/bin:/usr/bin:/usr/sbin:/bin:/sbin', container);
  if (certificates !== undefined)
    run('buildah', 'config', '--env', `NODE_EXTRA_CA_CERTS=${OWN_AUTHORITIES}`, container);
  run('buildah', 'commit', '--quiet', '--rm', container, BASE);
  rmSync(root, { recursive: true });
}

/**
 * @param {string} command
 * @param {string[]} args
 */
function run(command, ...args) {
  execFileSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/**
 * @param {string} image
 * @returns {number} bytes of all files
 */
function sizeOf(image) {
  const container = execFileSync('buildah', ['from', '--pull-never', image], { encoding: 'utf8' }).trim();
  const folder = execFileSync('buildah', ['mount', container], { encoding: 'utf8' }).trim();
  const [bytes] = execFileSync('du', ['--bytes', '--summarize', folder], { encoding: 'utf8' }).split('\t');
  run('buildah', 'rm', container);
  return Number(bytes);
}
