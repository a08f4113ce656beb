import { fork } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { startTokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { unreachableStorage } from '#test/support/storage.ts'
import { type AbuseCore, startAbuseCore } from './abuse-core.ts'

export interface GatewayProcess {
  readonly url: string
  readonly port: number
  /** Resolves once the process has exited: to its exit code, or to null if a signal ended it. */
  readonly exited: Promise<number | null>
  hasExited(): boolean
  sendSigterm(): void
  countOpenDescriptors(): Promise<number>
  /** The resident set: its current size, and its peak since the start. */
  memoryMb(): Promise<{ readonly now: number; readonly peak: number }>
  errorLines(): Promise<readonly string[]>
}

export interface AbuseEnvironment {
  readonly core: AbuseCore
  readonly token: string
  /** Starts a gateway in a child process that is killed after the test file. */
  startGateway(): Promise<GatewayProcess>
}

// The output of a crash is not JSON.
const isErrorLine = (line: string) => !line.startsWith('{') || /"level":"(?:error|fatal)"/.test(line)

const parseMegabytes = (procStatus: string, field: string) =>
  (Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(procStatus)?.[1]) * 1024) / 1e6

const isReadyMessage = (message: unknown): message is { readonly url: string } =>
  typeof message === 'object' && message !== null && 'url' in message && typeof message.url === 'string'

// Unlike `startServer`, this writes the log to a file and exposes the exit code.
const launch = async (environment: Readonly<Record<string, string>>, logFile: string) => {
  const output = openSync(logFile, 'w')
  const child = fork(new URL(import.meta.resolve('#bin/server.ts')), {
    env: { ...process.env, ...environment },
    execArgv: [],
    stdio: ['ignore', output, output, 'ipc'],
  })
  closeSync(output)
  const exited = new Promise<number | null>((resolve) => child.once('exit', resolve))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message) => isReadyMessage(message) && resolve(message.url))
    child.once('exit', async () => reject(new Error(await readFile(logFile, 'utf8'))))
  })
  const started: GatewayProcess = {
    url,
    port: Number(new URL(url).port),
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    sendSigterm: () => child.kill('SIGTERM'),
    countOpenDescriptors: async () => (await readdir(`/proc/${child.pid}/fd`)).length,
    memoryMb: async () => {
      const procStatus = await readFile(`/proc/${child.pid}/status`, 'utf8')
      return { now: parseMegabytes(procStatus, 'VmRSS'), peak: parseMegabytes(procStatus, 'VmHWM') }
    },
    errorLines: async () =>
      (await readFile(logFile, 'utf8')).split('\n').filter(Boolean).filter(isErrorLine).slice(0, 3),
  }
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  return { started, kill }
}

const open = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'crossfade-abuse-'))
  const [database, issuer, core] = await Promise.all([
    createTestDatabase(),
    startTokenIssuer({ stateDir: folder }),
    startAbuseCore(),
  ])
  const settings = {
    HOST: '127.0.0.1',
    PUBLIC_BASE_URL: 'https://api.example',
    DRAIN_MS: '3000',
    PORT: '0',
    ADMIN_PORT: '0',
    LOG_LEVEL: 'info',
    DATABASE_URL: database.url,
    CORE_BASE_URL: core.url,
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
    GATEWAY_SECRET: 'gateway-secret-of-the-tests',
    ...unreachableStorage,
  }
  const token = await issuer.mintToken(`acct_${crypto.randomUUID()}`)
  const kills: (() => Promise<void>)[] = []
  const startGateway = async () => {
    const { started, kill } = await launch(settings, join(folder, `gateway-${crypto.randomUUID()}.log`))
    kills.push(kill)
    return started
  }
  const close = async () => {
    await Promise.all(kills.map((kill) => kill()))
    await Promise.all([core.close(), issuer.close(), database.close()])
    await rm(folder, { recursive: true, force: true })
  }
  return { core, token, startGateway, close }
}

export const createAbuseEnvironment = (): AbuseEnvironment => {
  let opened: Awaited<ReturnType<typeof open>> | undefined
  beforeAll(async () => {
    opened = await open()
  })
  afterAll(() => opened?.close())
  const environment = () => {
    if (!opened) throw new Error('the environment is not started yet')
    return opened
  }
  return {
    get core() {
      return environment().core
    },
    get token() {
      return environment().token
    },
    startGateway: () => environment().startGateway(),
  }
}
