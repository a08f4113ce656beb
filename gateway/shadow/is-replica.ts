import { createSessionOpener } from '#db/client/session-opener.ts'

const connectTimeoutMs = 500

/** Whether the servers of a database can be reached, but all of them are replicas. */
export const isReplica = async (databaseUrl: string, ca: string | undefined): Promise<boolean> => {
  const open = createSessionOpener(databaseUrl, {
    ca,
    applicationName: 'crossfade-shadow',
    prepare: false,
    readOnly: true,
    statementTimeoutMs: connectTimeoutMs,
    connectTimeoutMs,
  })
  try {
    const { sql } = await open()
    await sql.end({ timeout: 0 })
    return false
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'NO_ACCEPTABLE_SERVER'
  }
}
