import { availableParallelism } from 'node:os'

/** The argument of a process that a supervisor has started. */
export const memberArgument = 'process-of-gateway'

/** Whether a supervisor has started this process; it may have died since. */
export const isMember = () => process.argv[2] === memberArgument

/** The number of processes for a value of PROCESSES; NaN for an invalid one. */
export const countProcesses = (value: 'auto' | number | string = 1): number =>
  value === 'auto' ? availableParallelism() : Number(value || 1)

/** Whether this process only starts others that run the gateway. The settings are not read yet. */
export const isSupervisor = () => !isMember() && countProcesses(process.env.PROCESSES) !== 1
