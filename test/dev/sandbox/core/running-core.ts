import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startSandboxCore } from '#dev/sandbox/core/start-core.ts'
import { startTokenIssuer } from '#dev/sandbox/token-issuer.ts'
import { createTestDatabase } from '#test/support/database.ts'
import { expectWithinContract } from './contract-check.ts'

export interface CoreResponse {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests read any field of a response
  readonly body: any
}

export interface Caller {
  readonly accountId: string
  readonly token: string
  readonly get: (path: string, headers?: Record<string, string>) => Promise<CoreResponse>
  readonly post: (path: string, body?: unknown) => Promise<CoreResponse>
  readonly put: (path: string, body?: unknown) => Promise<CoreResponse>
  readonly patch: (path: string, body?: unknown) => Promise<CoreResponse>
  readonly delete: (path: string) => Promise<CoreResponse>
}

/** Starts a core with its own token issuer and database. */
export const runCore = async (environment: NodeJS.ProcessEnv = {}) => {
  const stateDir = await mkdtemp(join(tmpdir(), 'sandbox-core-'))
  const issuer = await startTokenIssuer({ stateDir })
  const database = await createTestDatabase()
  const core = await startSandboxCore({
    DATABASE_URL: database.url,
    AUTH_ISSUER: issuer.issuer,
    AUTH_AUDIENCE: issuer.audience,
    AUTH_JWKS_URL: issuer.jwksUrl,
    ...environment,
  })

  const send = async (path: string, init: RequestInit): Promise<CoreResponse> => {
    const response = await fetch(core.url + path, init)
    const text = await response.text()
    const { status, headers } = response
    const body = text === '' ? null : JSON.parse(text)
    expectWithinContract({ method: init.method ?? 'GET', path, status, body })
    return { status, headers, body }
  }

  const signIn = async (email?: string, emailVerified = true): Promise<Caller> => {
    const accountId = `acct_${randomUUID()}`
    const token = await issuer.mintToken(accountId, email === undefined ? {} : { email, emailVerified })
    const authorization = `Bearer ${token}`
    const write = (method: string) => (path: string, body?: unknown) =>
      send(path, {
        method,
        headers: { authorization },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
    return {
      accountId,
      token,
      get: (path, headers) => send(path, { headers: { authorization, ...headers } }),
      post: write('POST'),
      put: write('PUT'),
      patch: write('PATCH'),
      delete: write('DELETE'),
    }
  }

  const close = async () => {
    await core.close()
    await issuer.close()
    await database.close()
    await rm(stateDir, { recursive: true })
  }
  return { url: core.url, databaseUrl: database.url, issuer, sql: database.sql, send, signIn, close }
}

export type RunningCore = Awaited<ReturnType<typeof runCore>>

export const makeTrack = async (caller: Caller, title = 'Slow Tide'): Promise<string> =>
  (await caller.post('/v1/tracks', { title, artist: 'Alice' })).body.id

/** Creates a pack with `trackCount` new tracks; returns the pack's id and the tracks' ids. */
export const makePack = async (caller: Caller, trackCount = 0) => {
  const packId: string = (await caller.post('/v1/packs', { name: 'Harbour EP' })).body.id
  const trackIds: string[] = []
  for (let made = 0; made < trackCount; made++) {
    const trackId = await makeTrack(caller, `Song ${made}`)
    await caller.post(`/v1/packs/${packId}/tracks`, { trackId })
    trackIds.push(trackId)
  }
  return { packId, trackIds }
}

export const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** The paths of the issues in a `validation_failed` response; for any other response, the response itself. */
export const invalidPaths = ({ status, body }: CoreResponse) =>
  status === 400 && body.error === 'validation_failed'
    ? body.issues.map((issue: { path: string }) => issue.path)
    : { status, body }
