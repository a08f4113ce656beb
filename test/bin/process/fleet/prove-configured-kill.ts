import { setTimeout as sleep } from 'node:timers/promises'
import { findSelectedSide } from './check-requests.ts'
import { createAccounts, startLoad } from './load.ts'
import { type Fleet, openFleet } from './open-fleet.ts'
import { listAccountIds, logDelayMs } from './prove-changes.ts'

// This route is native in the route table, so without the kill, an instance that has not read the stored state would
// serve it natively.
const label = 'libraries.list'

export interface ConfiguredKillReport {
  /** Requests for the killed route to the restarted instances. `disabled` counts those whose reason was the kill. */
  readonly requests: number
  readonly disabled: number
  /** Requests that native served or tried to serve, before and after the restart. */
  readonly nativeBefore: number
  readonly nativeAfter: number
}

// Takes the database away only after the instance has checked its migrations, so that reading the stored state is the
// first thing that fails.
const loseDatabaseAtFirstRead = ({ relays }: Fleet, index: number) => {
  const relay = relays[index]
  if (!relay) throw new Error(`instance ${index} has no relay`)
  relay.setUnavailable(false)
  relay.onStatement = (_, sent) => {
    if (!sent.includes('routing_epoch')) return null
    relay.setUnavailable(true)
    return 'cut-before'
  }
}

/**
 * Cuts five instances that serve a native route off from the database. Then restarts them one by one with that route in
 * `GATEWAY_KILL`. A restarted instance cannot read the stored state.
 */
export const proveConfiguredKill = async (
  folder: string,
  { canCheckMigrations = true } = {},
): Promise<ConfiguredKillReport> => {
  const fleet = await openFleet({ folder, throughRelay: true })
  try {
    const accounts = await createAccounts(fleet, listAccountIds(20))
    const load = startLoad(fleet, { accounts, routes: [label] })
    await sleep(1000)
    for (const relay of fleet.relays) relay.setUnavailable(true)
    for (const [index, instance] of fleet.instances.entries()) {
      await instance.stop()
      if (canCheckMigrations) loseDatabaseAtFirstRead(fleet, index)
      await fleet.replace(index, { GATEWAY_KILL: label })
    }
    await sleep(2000)
    await load.stop()
    await sleep(logDelayMs)
    const requestsOf = (instances: Fleet['instances']) =>
      instances
        .flatMap((instance) => instance.lines())
        .filter(({ msg, route }) => msg === 'request' && route === label)
    const isNative = (line: Parameters<typeof findSelectedSide>[0]) => findSelectedSide(line) === 'native'
    const after = requestsOf(fleet.instances)
    return {
      requests: after.length,
      disabled: after.filter(({ reason }) => reason === 'disabled').length,
      nativeBefore: requestsOf(fleet.former).filter(isNative).length,
      nativeAfter: after.filter(isNative).length,
    }
  } finally {
    await fleet.stop()
  }
}
