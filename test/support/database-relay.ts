import { createServer, connect as openSocket, type Socket } from 'node:net'

/**
 * What the relay does with a statement: cuts the connection before the statement or after its response, stalls the
 * statement, or holds it until a promise resolves.
 */
export type RelayFault = 'cut-before' | 'cut-after' | 'stall' | Promise<void> | null

type Statement = 'begin' | 'insert' | 'commit' | 'rollback'

export interface DatabaseRelay {
  readonly url: string
  /** Called for each statement; returns the fault to inject. `statement` is null if it is already prepared. */
  onStatement: (statement: Statement | null, sent: string) => RelayFault
  /** While true, new connections are rejected and open ones are cut. */
  setUnavailable(unavailable: boolean): void
  cutStalled(): void
  close(): Promise<void>
}

const statements: readonly Statement[] = ['begin', 'insert', 'commit', 'rollback']

const findStatement = (bytes: Buffer): Statement | null => {
  const text = bytes.toString('latin1').toLowerCase()
  // `read committed` is not a commit.
  return statements.find((statement) => new RegExp(`\\b${statement}\\b`).test(text)) ?? null
}

/** Starts a relay between a gateway and its PostgreSQL. It injects connection faults at chosen statements. */
export const startDatabaseRelay = async (databaseUrl: string): Promise<DatabaseRelay> => {
  const target = new URL(databaseUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  const cutsOfStalled = new Set<() => void>()
  let unavailable = false
  let onStatement: DatabaseRelay['onStatement'] = () => null

  const server = createServer((client) => {
    if (unavailable) return client.destroy()
    const upstream = openSocket(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    let cutOnResponse = false
    let stalled = false
    let held: Promise<unknown> | null = null
    const cut = () => {
      pairs.delete(pair)
      cutsOfStalled.delete(cut)
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (bytes: Buffer) => {
      if (stalled) return
      const statement = findStatement(bytes)
      const fault = onStatement(statement, bytes.toString('latin1'))
      if (fault === 'cut-before') return cut()
      if (fault === 'cut-after') cutOnResponse = true
      if (held !== null || fault instanceof Promise) {
        held = Promise.all([held, fault]).then(() => upstream.write(bytes))
        return
      }
      if (fault !== 'stall') return upstream.write(bytes)
      stalled = true
      cutsOfStalled.add(cut)
    })
    upstream.on('data', (bytes: Buffer) => (cutOnResponse ? cut() : client.write(bytes)))
    for (const socket of pair) socket.on('close', cut).on('error', cut)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`

  const cutAll = () => {
    for (const [client, upstream] of pairs) {
      client.destroy()
      upstream.destroy()
    }
    pairs.clear()
  }
  return {
    url: url.href,
    get onStatement() {
      return onStatement
    },
    set onStatement(next) {
      onStatement = next
    },
    setUnavailable(next) {
      unavailable = next
      if (unavailable) cutAll()
    },
    cutStalled() {
      for (const cut of cutsOfStalled) cut()
    },
    async close() {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
