import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { formatListeningUrl } from '#gateway/settings/listeners.ts'
import { formatCommand, sandboxCommand } from '#shared/format-command.ts'
import { CommandError, exitCodes } from './exit-codes.ts'

export const operatorTokenSetting = 'OPERATOR_TOKEN'

export interface Connection {
  readonly adminUrl: string
  readonly token: string
  readonly advice: string
}

type Environment = Readonly<Record<string, string | undefined>>

const AdminRecord = z.object({ gateway: z.string().nullish(), service: z.string().nullish() })

const readIfExists = (file: string) =>
  readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })

/** Reads what `npm start` recorded in this folder; null if it is not running there. */
const readRecord = async (stateDir: string) => {
  const text = await readIfExists(join(stateDir, 'admin.json'))
  return text === null ? null : AdminRecord.parse(JSON.parse(text))
}

const defaultAdminPort = 8788

const readGivenUrl = ({ ADMIN_URL: url, ADMIN_PORT: port }: Environment) => {
  if (url) return url.replace(/\/+$/, '')
  return port ? formatListeningUrl('127.0.0.1', Number(port)) : null
}

const sandboxAdvice =
  sandboxCommand &&
  `${sandboxCommand} is not running in this folder. Run it in another terminal, or set ADMIN_URL and ${operatorTokenSetting} for another gateway.`

export const readConnection = async (environment: Environment, stateDir: string): Promise<Connection> => {
  const record = await readRecord(stateDir)
  const localUrl = record?.gateway ?? null
  const givenUrl = readGivenUrl(environment)
  if (sandboxCommand && givenUrl === null && localUrl === null && record?.service)
    throw new CommandError(
      exitCodes.usage,
      `the gateway in this folder has no admin listener, because it was started with ${formatCommand('worker')} or ADMIN_PORT=off. Run ${sandboxCommand} without ADMIN_PORT=off.`,
    )
  const adminUrl = givenUrl ?? localUrl ?? formatListeningUrl('127.0.0.1', defaultAdminPort)
  if (!URL.canParse(adminUrl))
    throw new CommandError(
      exitCodes.usage,
      'ADMIN_URL or ADMIN_PORT is invalid: set ADMIN_URL to the URL of the admin listener',
    )
  // The local installation's token is never sent to another address.
  const isLocal = adminUrl === localUrl
  const token =
    environment[operatorTokenSetting] ||
    (isLocal ? await readIfExists(join(stateDir, 'operator-token')) : null)?.trim()
  const isSandboxExpected = sandboxAdvice !== null && givenUrl === null
  if (!token && isSandboxExpected && localUrl === null)
    throw new CommandError(exitCodes.unreachable, sandboxAdvice)
  if (!token)
    throw new CommandError(
      exitCodes.usage,
      `${operatorTokenSetting} is missing: set it to your token for ${adminUrl}; ${formatCommand('routes', 'operator', 'NAME')} creates one`,
    )
  const advice = isSandboxExpected ? sandboxAdvice : 'Set ADMIN_URL to the URL of an admin listener.'
  return { adminUrl, token, advice }
}
