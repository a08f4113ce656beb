import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Label } from '#contracts/route-table.ts'
import { isObject, readText } from '#shared/json.ts'
import {
  describeObservation,
  isResponse,
  isSuccess,
  jsonOf,
  type Observation,
} from '../../diff/recorded-response.ts'
import { findRemainder, listsOfCreations, type Remainder, removals } from './created.ts'
import type { ScenarioRequest } from './scenario.ts'
import { type ComparedSide, sendTimed } from './side.ts'

interface Creation {
  readonly side: ComparedSide
  readonly label: Label
  readonly request: ScenarioRequest
  readonly removal: NonNullable<(typeof removals)[Label]>
  readonly id: string | null
}

const maxAttempts = 3
const retryDelayMs = 1000

const isTransient = (response: Observation) =>
  !isResponse(response) || response.status === 429 || response.status >= 500

const remove = async ({ side, request, removal: { label, param } }: Creation, id: string) => {
  const params = { ...request.params, [param]: id }
  const removal = { params, ...(request.as && { as: request.as }) }
  let response = await sendTimed(side, label, removal)
  for (let attempt = 1; attempt < maxAttempts && isTransient(response); attempt++) {
    await sleep(retryDelayMs)
    response = await sendTimed(side, label, removal)
  }
  // 404 means that the resource is already gone: removed by the scenario, or along with its track, pack or library.
  if (isResponse(response) && (response.status < 300 || response.status === 404)) return null
  return { id, reason: `${label} on the ${side.name} side ${describeObservation(response)}` }
}

const readName = (value: unknown, field: string) => readText(value, field)?.trim() ?? null

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
  const id = findByName(await sendTimed(side, list.label, { as: request.as }), list.field, name)
  return (
    id ?? {
      id: name,
      reason: `${label} on the ${side.name} side got no usable response, and nothing with this name was found`,
    }
  )
}

const removeCreation = async (creation: Creation): Promise<Remainder | null> => {
  const found = creation.id ?? (await findCreated(creation))
  return typeof found === 'string' ? remove(creation, found) : found
}

// A request that got no response or a server error may still have taken effect.
const isUncertain = (response: Observation) => !isResponse(response) || response.status >= 500

/** Without `removes`, nothing is removed, for example in a sandbox that is deleted afterwards. */
export const createJournal = ({ removes }: { readonly removes: boolean }) => {
  const scope = new AsyncLocalStorage<Creation[]>()
  const kept: Creation[] = []
  const succeeded = new Set<Label>()
  const remainders: Remainder[] = []
  const unremoved: Remainder[] = []
  let hasEntries = false

  // Removes in reverse order, so that a link is revoked before its track is removed.
  const removeAll = async (creations: Creation[]) => {
    for (let creation = creations.pop(); creation !== undefined; creation = creations.pop()) {
      const failure = await removeCreation(creation)
      if (failure !== null) unremoved.push(failure)
    }
  }

  const recordCreation = (
    side: ComparedSide,
    label: Label,
    request: ScenarioRequest,
    response: Observation,
  ) => {
    const removal = removals[label]
    if (removal === undefined) return
    hasEntries = true
    const creations = scope.getStore() ?? kept
    const id = isSuccess(response) ? readText(jsonOf(response), 'id') : null
    const mayExist = listsOfCreations[label] && (isSuccess(response) || isUncertain(response))
    if (id !== null || mayExist) creations.push({ side, label, request, removal, id })
  }

  return {
    record: (side: ComparedSide, label: Label, request: ScenarioRequest, response: Observation) => {
      if (isSuccess(response)) succeeded.add(label)
      if (!removes) return
      if (isSuccess(response)) {
        const remainder = findRemainder(label, jsonOf(response), request.as?.accountId ?? label)
        if (remainder !== null) {
          hasEntries = true
          remainders.push(remainder)
        }
      }
      recordCreation(side, label, request, response)
    },
    removeAfter: async <T>(work: () => Promise<T>): Promise<T> => {
      if (!removes) return work()
      const creations: Creation[] = []
      try {
        return await scope.run(creations, work)
      } finally {
        await removeAll(creations)
      }
    },
    keepDuring: <T>(work: () => Promise<T>) => scope.run(kept, work),
    removeKept: () => removeAll(kept),
    succeeded,
    get hasEntries() {
      return hasEntries
    },
    /** What no route can remove. */
    remainders,
    /** What should have been removed but could not be. */
    unremoved,
  }
}

export type Journal = ReturnType<typeof createJournal>
