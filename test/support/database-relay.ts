import { createServer, connect as openSocket, type Socket } from 'node:net'

/** What the relay does when a statement passes: before it reaches the server, or once the server has answered it. */
export type Fault = 'cut-before' | 'cut-after' | 'stall' | null

type Statement = 'begin' | 'insert' | 'commit' | 'rollback'

export interface DatabaseRelay {
  readonly url: string
  /** Asked for each statement that passes; says what happens to it. A statement that is prepared already has no name. */
  onStatement: (statement: Statement | null, sent: string) => Fault
  /** While true, new connections are refused and the open ones are cut. */
  refuse(refusing: boolean): void
  close(): Promise<void>
}

const statements: readonly Statement[] = ['begin', 'insert', 'commit', 'rollback']

const statementIn = (bytes: Buffer): Statement | null => {
  const text = bytes.toString('latin1').toLowerCase()
  return statements.find((statement) => text.includes(statement)) ?? null
}

/** Stands between a gateway and its PostgreSQL and breaks the connection exactly where a test wants it broken. */
export const startDatabaseRelay = async (databaseUrl: string): Promise<DatabaseRelay> => {
  const target = new URL(databaseUrl)
  const pairs = new Set<readonly [Socket, Socket]>()
  let refusing = false
  let onStatement: DatabaseRelay['onStatement'] = () => null

  const server = createServer((client) => {
    if (refusing) return client.destroy()
    const upstream = openSocket(Number(target.port), target.hostname)
    const pair = [client, upstream] as const
    pairs.add(pair)
    let cutOnAnswer = false
    let stalled = false
    const cut = () => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    client.on('data', (bytes: Buffer) => {
      if (stalled) return
      const statement = statementIn(bytes)
      const fault = onStatement(statement, bytes.toString('latin1'))
      if (fault === 'cut-before') return cut()
      if (fault === 'cut-after') cutOnAnswer = true
      if (fault === 'stall') stalled = true
      else upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => (cutOnAnswer ? cut() : client.write(bytes)))
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
    refuse(next) {
      refusing = next
      if (refusing) cutAll()
    },
    async close() {
      cutAll()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
