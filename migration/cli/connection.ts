import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { formatListeningUrl } from '#gateway/settings/listeners.ts'
import { formatCommand } from '#shared/format-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'
import { operatorTokenSetting } from './operator-token.ts'

export interface Connection {
  readonly adminUrl: string
  readonly token: string
}

type Environment = Readonly<Record<string, string | undefined>>

const AdminRecord = z.object({ gateway: z.string().nullish() })

const readIfExists = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

const readLocalUrl = async (stateDir: string) => {
  const text = await readIfExists(join(stateDir, 'admin.json'))
  if (text === null) return null
  const { gateway } = AdminRecord.parse(JSON.parse(text))
  return gateway ?? null
}

const defaultAdminPort = 8788

const readUrl = async (environment: Environment, stateDir: string) => {
  if (environment.ADMIN_URL) return environment.ADMIN_URL.replace(/\/+$/, '')
  if (environment.ADMIN_PORT) return formatListeningUrl('127.0.0.1', Number(environment.ADMIN_PORT))
  return (await readLocalUrl(stateDir)) ?? formatListeningUrl('127.0.0.1', defaultAdminPort)
}

/** Reads the address and the token from the environment, or from the installation that `npm start` runs. */
export const readConnection = async (environment: Environment, stateDir: string): Promise<Connection> => {
  const adminUrl = await readUrl(environment, stateDir)
  if (!URL.canParse(adminUrl))
    throw new CommandError(
      exitCodes.usage,
      'ADMIN_URL or ADMIN_PORT is invalid: set ADMIN_URL to the URL of the admin listener',
    )
  // The token of the local installation is never sent to another address.
  const isLocal = adminUrl === (await readLocalUrl(stateDir))
  const token =
    environment[operatorTokenSetting] ||
    (isLocal ? await readIfExists(join(stateDir, 'operator-token')) : null)?.trim()
  if (!token)
    throw new CommandError(
      exitCodes.usage,
      `${operatorTokenSetting} is missing: set it to your token for ${adminUrl}; ${formatCommand('routes', 'operator', 'NAME')} creates one`,
    )
  return { adminUrl, token }
}
