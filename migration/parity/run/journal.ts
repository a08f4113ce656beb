import { AsyncLocalStorage } from 'node:async_hooks'
import type { Label } from '#contracts/route-table.ts'
import { isResponse, jsonOf, type Observation } from '../../diff/recorded-response.ts'
import { findRemainder, listsOfCreations, type Remainder, readCreatedId, removals } from './created.ts'
import { type Creation, removeCreation } from './remove-creation.ts'
import type { ScenarioRequest } from './scenario.ts'
import type { Side } from './side.ts'

const isSuccess = (response: Observation) =>
  isResponse(response) && response.status >= 200 && response.status < 300

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

  const recordCreation = (side: Side, label: Label, request: ScenarioRequest, response: Observation) => {
    const removal = removals[label]
    if (removal === undefined) return
    hasEntries = true
    const creations = scope.getStore() ?? kept
    const id = isSuccess(response) ? readCreatedId(jsonOf(response)) : null
    if (id !== null) creations.push({ side, label, request, removal, id })
    else if (listsOfCreations[label] && (isSuccess(response) || isUncertain(response)))
      creations.push({ side, label, request, removal, id: null })
  }

  return {
    record: (side: Side, label: Label, request: ScenarioRequest, response: Observation) => {
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
    /** Runs `work` and then removes what it created, even if `work` fails. */
    removeAfter: async <T>(work: () => Promise<T>): Promise<T> => {
      if (!removes) return work()
      const creations: Creation[] = []
      try {
        return await scope.run(creations, work)
      } finally {
        await removeAll(creations)
      }
    },
    /** Runs `work` and keeps what it created until `removeKept` is called. */
    keepDuring: <T>(work: () => Promise<T>) => scope.run(kept, work),
    removeKept: () => removeAll(kept),
    succeeded,
    /** Whether the run has created or changed anything. */
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
