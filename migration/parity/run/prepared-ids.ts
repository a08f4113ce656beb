import { AsyncLocalStorage } from 'node:async_hooks'
import type { Label } from '#contracts/route-table.ts'
import { rowOf } from '#contracts/shared/row.ts'
import { readText } from '#shared/json.ts'
import { preparedIdPrefix } from '../../diff/find-differences.ts'
import { jsonOf, type Observation } from '../../diff/recorded-response.ts'
import type { Aliases } from './side.ts'

const idFields = ['id', 'uploadId', 'assetId', 'versionId', 'dispatchId']

const listIds = (response: Observation) => {
  const value = jsonOf(response)
  return idFields.flatMap((field) => {
    const id = readText(value, field)
    return id === null ? [] : [[field, id] as const]
  })
}

interface Scope {
  readonly aliases: Aliases[number][]
  sent: number
}

const scope = new AsyncLocalStorage<Scope | null>()

export const aliasCreatedIds = <T>(aliases: Aliases[number][], work: () => Promise<T>) =>
  scope.run({ aliases, sent: 0 }, work)

/**
 * Runs `work`, which creates resources that several scenarios use. Their ids get no aliases, because any of these
 * scenarios may be the one that creates them.
 */
export const withoutAliases = <T>(work: () => Promise<T>) => scope.run(null, work)

/**
 * Sends a request that prepares a scenario. The preparation sends the same requests to both sides, so the nth POST
 * creates the same resource on both.
 */
export const sendAndAlias = async (label: Label, send: () => Promise<Observation>) => {
  const current = rowOf(label).method === 'POST' ? scope.getStore() : null
  if (!current) return send()
  const index = current.sent++
  const response = await send()
  for (const [field, id] of listIds(response))
    if (!current.aliases.some(([known]) => known === id))
      current.aliases.push([id, `${preparedIdPrefix}${index}-${field}`])
  return response
}
