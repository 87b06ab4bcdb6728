package webhooks

import (
	"cmp"
	"maps"

	"example.com/livery/storage/record"
)

// The shares of the rounds that go on at one time. An Environment has some and never all, so that receivers which take
// long delay nobody else's webhooks.
const (
	mostRounds        = 64
	mostOfEnvironment = 16 // of one Environment
)

// schedule says which webhook has the next round: one of the Environment that has the fewest going on, and among those the one
// whose turn was longest ago.
type schedule struct {
	tasks  map[string]*task  // by webhook
	shares map[string]*share // by Environment
	rounds int               // that go on
	turn   uint64            // how many began
}

// task is a webhook in a schedule.
type task struct {
	environment, id string
	read            uint32 // number of the event up to which the webhook wants none, if that is after its cursor
	due, busy       bool   // a round may find something to send; a round goes on
	turn            uint64 // when its last round began
}

// share is what an Environment has of the rounds.
type share struct {
	rounds int
	turn   uint64 // when its last round began
}

func newSchedule() *schedule {
	return &schedule{tasks: map[string]*task{}, shares: map[string]*share{}}
}

// keep makes all webhooks the tasks of the schedule.
func (s *schedule) keep(all []record.Webhook) {
	there, shares := map[string]bool{}, map[string]bool{}
	for _, w := range all {
		there[w.ID], shares[w.EnvironmentID] = true, true
		if s.tasks[w.ID] == nil {
			s.tasks[w.ID] = &task{environment: w.EnvironmentID, id: w.ID}
		}
		if s.shares[w.EnvironmentID] == nil {
			s.shares[w.EnvironmentID] = &share{}
		}
	}
	maps.DeleteFunc(s.tasks, func(id string, t *task) bool { return !there[id] && !t.busy })
	maps.DeleteFunc(s.shares, func(id string, e *share) bool { return !shares[id] && e.rounds == 0 })
}

// begin returns the task whose round begins now; nil if none may.
func (s *schedule) begin() (first *task) {
	if s.rounds == mostRounds {
		return nil
	}
	for _, t := range s.tasks {
		if t.due && !t.busy && s.shares[t.environment].rounds < mostOfEnvironment && (first == nil || s.compare(t, first) < 0) {
			first = t
		}
	}
	if first != nil {
		e := s.shares[first.environment]
		s.turn++
		first.due, first.busy, first.turn, e.turn = false, true, s.turn, s.turn
		s.rounds, e.rounds = s.rounds+1, e.rounds+1
	}
	return first
}

// compare compares the claims of two tasks to the next round.
func (s *schedule) compare(a, b *task) int {
	x, y := s.shares[a.environment], s.shares[b.environment]
	return cmp.Or(cmp.Compare(x.rounds, y.rounds), cmp.Compare(x.turn, y.turn), cmp.Compare(a.turn, b.turn), cmp.Compare(a.id, b.id))
}

// end ends the round of a task, which has read the events up to read. With more, another may find something to send.
func (s *schedule) end(t *task, read uint32, more bool) {
	e := s.shares[t.environment]
	s.rounds, e.rounds = s.rounds-1, e.rounds-1
	t.busy, t.read, t.due = false, read, t.due || more
}
