import { type Database, type DatabaseOptions, openDatabase, usualStatementTimeoutMs } from './connection.ts'
import { watchedSockets } from './node-socket.ts'

/** {@link openDatabase} on Node, where a process keeps its connections and must notice the ones that have died. */
export const openNodeDatabase = (url: string, options: Omit<DatabaseOptions, 'socket'> = {}): Database => {
  const { statementTimeoutMs = usualStatementTimeoutMs } = options
  // Every statement is answered, and every connection without work closed, within the statement timeout.
  return openDatabase(url, { ...options, socket: watchedSockets(statementTimeoutMs * 1.5) })
}
