import type { ScenarioContext } from './scenario-context.ts'
import type { Side } from './side.ts'

/** Makes something once on each side: for what takes long to make and is only read by scenarios. */
export const oncePerSide = <T>(make: (world: ScenarioContext) => Promise<T>) => {
  const made = new WeakMap<Side, Promise<T>>()
  return (world: ScenarioContext): Promise<T> => {
    const known = made.get(world.side) ?? make(world)
    made.set(world.side, known)
    return known
  }
}
