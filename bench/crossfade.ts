import { basename, join } from 'node:path'
import { measuredCore } from './machine.ts'
import { startProcess } from './start-process.ts'

export interface Surroundings {
  readonly databaseUrl: string
  /** The core's address, or `none`. */
  readonly coreUrl: string
  readonly issuer: { readonly issuer: string; readonly audience: string; readonly jwksUrl: string }
}

/** The settings of a production gateway, with an object store that is never called. */
export const crossfadeEnvironment = ({ databaseUrl, coreUrl, issuer }: Surroundings) => ({
  HOST: '127.0.0.1',
  PORT: '0',
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

interface CrossfadeOptions extends Surroundings {
  /** Receives the gateway's log. */
  readonly folder: string
  /** The project folder of the gateway; default: this one. */
  readonly projectFolder?: string
  /** A folder that takes a CPU profile of the gateway when it ends. */
  readonly profileFolder?: string | undefined
  /** Settings that differ from the default ones. */
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts the gateway as in production, with all features and its log, on the measured core. */
export const startCrossfade = ({
  folder,
  projectFolder = join(import.meta.dirname, '..'),
  profileFolder,
  environment,
  ...surroundings
}: CrossfadeOptions) =>
  startProcess({
    command: process.execPath,
    arguments: [
      ...(profileFolder === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profileFolder}`]),
      join(projectFolder, 'gateway/server.ts'),
    ],
    environment: { ...crossfadeEnvironment(surroundings), ...environment },
    core: measuredCore,
    outputFile: join(folder, `gateway-${basename(projectFolder)}.log`),
  })
