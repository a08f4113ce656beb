import { type Access, portAccess } from '#native-routes/port-access.ts'
import type { Ports } from '#native-routes/ports.ts'

export type EffectRunner = <T>(call: () => Promise<T>) => Promise<T>

interface EffectTable {
  readonly [name: string]: Access | EffectTable
}

type EffectList = readonly (readonly [name: string, parts: EffectList | null])[]

const listEffects = (table: EffectTable): EffectList =>
  Object.entries(table).flatMap(([name, access]): EffectList => {
    if (typeof access === 'string') return access === 'effect' ? [[name, null]] : []
    const parts = listEffects(access)
    return parts.length > 0 ? [[name, parts]] : []
  })

const effects = listEffects(portAccess)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const interceptPart = (part: unknown, parts: EffectList, run: EffectRunner): unknown => {
  if (!isObject(part)) return part
  const intercepted: Record<string, unknown> = { ...part }
  for (const [name, inner] of parts) {
    const member = part[name]
    if (typeof member !== 'function') {
      if (inner) intercepted[name] = interceptPart(member, inner, run)
      continue
    }
    const call = (input: unknown[]): unknown => Reflect.apply(member, part, input)
    intercepted[name] = inner
      ? (...input: unknown[]) => interceptPart(call(input), inner, run)
      : (...input: unknown[]) => run(async () => call(input))
  }
  return intercepted
}

export const interceptEffects = (ports: Ports, run: EffectRunner): Ports =>
  // Replaces only existing members, each by a function with the same signature.
  interceptPart(ports, effects, run) as Ports
