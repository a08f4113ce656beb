import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import manifest from './baseline.json' with { type: 'json' }
import { measuredCpu } from './machine.ts'
import type { Bench } from './open-bench.ts'
import { startProcess } from './start-process.ts'

const root = join(import.meta.dirname, '../..')

export const productionOptions = ['--max-semi-space-size=64'] as const

interface GatewayDependencies {
  readonly databaseUrl: string
  readonly coreUrl: string
  readonly issuer: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string }
}

/** Returns the settings that production requires. The object store is at the discard port, where nothing listens. */
export const createGatewayEnvironment = ({ databaseUrl, coreUrl, issuer }: GatewayDependencies) => ({
  HOST: '127.0.0.1',
  PORT: '0',
  PUBLIC_BASE_URL: 'https://api.example',
  ADMIN_PORT: '0',
  LOG_LEVEL: 'info',
  DATABASE_URL: databaseUrl,
  CORE_BASE_URL: coreUrl,
  AUTH_ISSUER: issuer.issuer,
  AUTH_AUDIENCE: issuer.audience,
  AUTH_JWKS_URL: issuer.jwksUrl,
  GATEWAY_SECRET: 'gateway-secret-of-the-bench',
  STORAGE_ENDPOINT: 'http://127.0.0.1:9',
  STORAGE_REGION: 'us-east-1',
  STORAGE_BUCKET: 'nowhere',
  STORAGE_ACCESS_KEY_ID: 'key-of-the-bench',
  STORAGE_SECRET_ACCESS_KEY: 'secret-of-the-bench',
})

export interface GatewayProcessOptions {
  readonly coreUrl?: string
  readonly projectFolder?: string
  readonly profileFolder?: string | undefined
  readonly environment?: Readonly<Record<string, string>>
}

const bundle = async (projectFolder: string) => {
  await promisify(execFile)('npm', ['run', 'build'], { cwd: projectFolder })
  return join(projectFolder, 'dist/node/server.mjs')
}

const bundles = new Map<string, Promise<string>>()

/** Bundles a checkout once, as for the Docker image. Returns the gateway's program. */
const bundleOnce = (projectFolder: string) => {
  const program = bundles.get(projectFolder) ?? bundle(projectFolder)
  bundles.set(projectFolder, program)
  return program
}

export const startGatewayProcess = async (
  { folder, databaseUrl, issuer }: Bench,
  { coreUrl = 'none', projectFolder = root, profileFolder, environment }: GatewayProcessOptions,
) =>
  startProcess({
    command: process.execPath,
    arguments: [
      ...productionOptions,
      ...(profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]),
      await bundleOnce(projectFolder),
    ],
    environment: { ...createGatewayEnvironment({ databaseUrl, coreUrl, issuer }), ...environment },
    cpu: measuredCpu,
    outputFile: join(folder, `gateway-${basename(projectFolder)}.log`),
  })

const git = async (...args: readonly string[]) => {
  await promisify(execFile)('git', ['-C', root, ...args])
}

/**
 * Checks out the commit of `baseline.json` into a temporary folder under `.data` that is removed when the benchmark
 * ends. The checkout runs with the currently installed dependencies.
 */
export const checkOutBaseline = async ({ stopAtEnd }: Pick<Bench, 'stopAtEnd'>): Promise<string> => {
  await mkdir(join(root, '.data'), { recursive: true })
  const folder = await mkdtemp(join(root, '.data', 'bench-baseline-'))
  await git('worktree', 'add', '--quiet', '--detach', folder, manifest.commit)
  stopAtEnd({ stop: () => git('worktree', 'remove', '--force', folder) })
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  return folder
}
