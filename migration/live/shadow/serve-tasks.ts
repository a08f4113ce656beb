import { Socket } from 'node:net'
import { deserialize } from 'node:v8'
import { describeFailure, encodeFrame, FrameReader, taskPipe } from './child-messages.ts'

/** A task is serialized by itself: one that cannot be read has an id all the same. */
interface TaskMessage {
  readonly id: number
  readonly task: Buffer
}

// Cast: the parent serializes tasks with this shape, and it is trusted.
const parseMessage = (payload: Buffer) => deserialize(payload) as TaskMessage

/**
 * Runs the tasks that the parent sends to this child process, several at a time. Call it after all that must be loaded
 * first: the parent sends tasks from then on. A result must be JSON. An error is one of its task, not of the process.
 */
export const serveTasks = (run: (task: unknown) => unknown): void => {
  const pipe = new Socket({ fd: taskPipe })
  const tasks = new FrameReader(Number.POSITIVE_INFINITY)
  const send = (message: object) => pipe.write(encodeFrame(Buffer.from(JSON.stringify(message))))
  const respond = async ({ id, task }: TaskMessage) => {
    try {
      send({ id, result: await run(deserialize(task)) })
    } catch (error) {
      send({ id, failure: describeFailure(error) })
    }
  }
  pipe.on('data', (chunk: Buffer) => {
    for (const payload of tasks.read(chunk)) respond(parseMessage(payload))
  })
  pipe.on('error', () => undefined)
  pipe.once('close', () => process.exit(0))
  send({ ready: true })
}
