import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import { isObject } from '../../diff/json.ts'
import { isResponse, jsonOf, type Observation } from '../../diff/recorded-response.ts'
import { listsOfCreations, type Remainder, type removals } from './created.ts'
import type { ScenarioRequest } from './scenario.ts'
import { createRequest, observe, type Side } from './side.ts'

export interface Creation {
  readonly side: Side
  readonly label: Label
  readonly request: ScenarioRequest
  readonly removal: NonNullable<(typeof removals)[Label]>
  /** `null` if the response contained no id. */
  readonly id: string | null
}

const maxAttempts = 3
const retryDelayMs = 1000

const isTransient = (response: Observation) =>
  !isResponse(response) || response.status === 429 || response.status >= 500

const describe = (response: Observation) =>
  isResponse(response) ? `returned ${response.status}` : `got no response: ${response.failure}`

const remove = async ({ side, request, removal: { label, param } }: Creation, id: string) => {
  const params = { ...request.params, [param]: id }
  const removal = createRequest(label, { params, ...(request.as && { as: request.as }) })
  let response = await observe(side, removal, [])
  for (let attempt = 1; attempt < maxAttempts && isTransient(response); attempt++) {
    await sleep(retryDelayMs)
    response = await observe(side, removal, [])
  }
  // 404 means that the resource is already gone: removed by the scenario, or along with its track, pack or library.
  if (isResponse(response) && (response.status < 300 || response.status === 404)) return null
  return { id, reason: `${label} on the ${side.name} side ${describe(response)}` }
}

const readName = (value: unknown, field: string) => {
  const name = isObject(value) ? value[field] : undefined
  return typeof name === 'string' ? name.trim() : null
}

const findByName = (response: Observation, field: string, name: string) => {
  const list = jsonOf(response)
  const records = isObject(list) && Array.isArray(list.records) ? list.records : []
  const found: unknown = records.find((record) => readName(record, field) === name)
  return readName(found, 'id')
}

const findCreated = async (creation: Creation): Promise<string | Remainder | null> => {
  const list = listsOfCreations[creation.label]
  const { side, request, label } = creation
  const name = readName(request.body, list?.field ?? '')
  if (list === undefined || name === null || request.as === undefined) return null
  const id = findByName(
    await observe(side, createRequest(list.label, { as: request.as }), []),
    list.field,
    name,
  )
  return (
    id ?? {
      id: name,
      reason: `${label} on the ${side.name} side got no usable response, and nothing with this name was found`,
    }
  )
}

export const removeCreation = async (creation: Creation): Promise<Remainder | null> => {
  const found = creation.id ?? (await findCreated(creation))
  return typeof found === 'string' ? remove(creation, found) : found
}
