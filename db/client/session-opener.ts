import { readSessionTarget, type SessionTarget } from './database-address.ts'
import { type DatabaseServer, resolveServers } from './database-tls.ts'
import { openSession, type Session, type SessionOptions, type SessionState } from './session.ts'
import { DatabaseUnreachable } from './unreachable.ts'

interface OpenerOptions extends SessionOptions {
  readonly ca: string | undefined
}

const checkTarget =
  (target: SessionTarget) =>
  ({ is_standby, is_read_only }: SessionState) =>
    target === 'any' || !(target === 'primary' ? is_standby : is_read_only)

export type OpenSession = (avoided?: DatabaseServer) => Promise<Session>

/** Tries the server that was used most recently first, and an avoided server last. All servers share the timeout. */
export const createSessionOpener = (databaseUrl: string, options: OpenerOptions): OpenSession => {
  const servers = resolveServers(databaseUrl, options.ca)
  const wanted = readSessionTarget(databaseUrl)
  // A read-only session cannot find out whether the server would accept writes.
  const target = options.readOnly && wanted === 'read-write' ? 'primary' : wanted
  const isAcceptable = checkTarget(target)
  const sessionOptions = { ...options, connectTimeoutMs: options.connectTimeoutMs / servers.length }
  let lastServer: DatabaseServer = servers[0]

  const listCandidates = (avoided: DatabaseServer | undefined) => {
    const candidates = new Set([lastServer, ...servers])
    if (avoided && candidates.delete(avoided)) candidates.add(avoided)
    return candidates
  }

  return async (avoided) => {
    let failure: unknown
    for (const server of listCandidates(avoided)) {
      try {
        const session = await openSession(server, sessionOptions, isAcceptable)
        lastServer = session?.server ?? lastServer
        if (session) return session
        failure = Object.assign(new DatabaseUnreachable(`no server of the database is ${target}`), {
          code: 'NO_ACCEPTABLE_SERVER',
        })
      } catch (error) {
        failure = error
      }
    }
    throw failure
  }
}

const reconnectIntervalMs = 100

const connectionError = (cause: unknown) =>
  new DatabaseUnreachable('cannot connect to the database', { cause })

/**
 * While the database is down, tries to open only one session at a time, and at most one every 100 ms. Other callers
 * fail, or wait for that attempt.
 */
export const paceAttempts = (open: OpenSession): OpenSession => {
  let failure: { readonly error: unknown; readonly at: number } | undefined
  let trial: Promise<Session> | undefined

  const attempt = async (avoided: DatabaseServer | undefined) => {
    try {
      const session = await open(avoided)
      failure = undefined
      return session
    } catch (error) {
      failure = { error, at: performance.now() }
      throw connectionError(error)
    }
  }

  return async (avoided) => {
    if (failure && performance.now() - failure.at < reconnectIntervalMs) throw connectionError(failure.error)
    if (trial) await trial
    const attempted = attempt(avoided)
    if (!failure) return attempted
    trial = attempted
    return attempted.finally(() => {
      trial = undefined
    })
  }
}

const selectionTimeoutMs = 5000

/** Asks servers for their state only if there are several. */
export const selectServer = async (databaseUrl: string, ca: string | undefined): Promise<DatabaseServer> => {
  const [first, ...others] = resolveServers(databaseUrl, ca)
  if (others.length === 0) return first
  const { sql, server } = await createSessionOpener(databaseUrl, {
    ca,
    applicationName: 'crossfade',
    statementTimeoutMs: selectionTimeoutMs,
    connectTimeoutMs: selectionTimeoutMs,
    prepare: false,
  })()
  await sql.end({ timeout: 1 })
  return server
}
