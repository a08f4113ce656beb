import type { createShadowPorts, ShadowPorts } from '#migration/shadow/shadow-ports.ts'
import type { Ports, StoragePort } from '#native-routes/ports.ts'

// A compile-time test: each `@ts-expect-error` must be a type error, and all other code must compile.

declare const shadowPorts: ReturnType<typeof createShadowPorts>

export const asPorts: Ports = shadowPorts

const { limits: _, ...withoutLimits } = shadowPorts

// @ts-expect-error every port must have a behaviour
export const withoutPort: ShadowPorts = withoutLimits

interface PortsWithCalendar extends Ports {
  readonly calendar: { invite(email: string): Promise<void> }
}

// @ts-expect-error the behaviour of a new port must be defined
export const addedPort: ShadowPorts<PortsWithCalendar> = shadowPorts

interface PortsWithOptionalCalendar extends Ports {
  readonly calendar?: { invite(email: string): Promise<void> }
}

// @ts-expect-error the behaviour of a new optional port must be defined too
export const addedOptionalPort: ShadowPorts<PortsWithOptionalCalendar> = shadowPorts

interface PortsWithList extends Ports {
  readonly storage: StoragePort & { list(prefix: string): Promise<readonly string[]> }
}

// @ts-expect-error the behaviour of a new method must be defined
export const addedMethod: ShadowPorts<PortsWithList> = shadowPorts
