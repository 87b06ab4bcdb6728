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
	tasks   map[string]*task  // by webhook
	shares  map[string]*share // by Environment
	waiting map[*task]bool    // that are due and have no round
	rounds  int               // that go on
	turn    uint64            // how many began
}

// task is a webhook in a schedule.
type task struct {
	environment, id string
	share           *share
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
	return &schedule{tasks: map[string]*task{}, shares: map[string]*share{}, waiting: map[*task]bool{}}
}

// keep makes all webhooks the tasks of the schedule, and forgets others that have no round.
func (s *schedule) keep(all []record.Webhook) {
	there, shares := map[string]bool{}, map[string]bool{}
	for _, w := range all {
		there[w.ID], shares[w.EnvironmentID] = true, true
		if s.shares[w.EnvironmentID] == nil {
			s.shares[w.EnvironmentID] = &share{}
		}
		if s.tasks[w.ID] == nil {
			s.tasks[w.ID] = &task{environment: w.EnvironmentID, id: w.ID, share: s.shares[w.EnvironmentID]}
		}
	}
	for id, t := range s.tasks {
		if !there[id] && !t.busy {
			delete(s.tasks, id)
			delete(s.waiting, t)
		}
	}
	maps.DeleteFunc(s.shares, func(id string, e *share) bool { return !shares[id] && e.rounds == 0 })
}

// setDue notes that a round of a task may find something to send.
func (s *schedule) setDue(t *task) {
	if t.due = true; !t.busy {
		s.waiting[t] = true
	}
}

// begin returns the task whose round begins now; nil if none may.
func (s *schedule) begin() (first *task) {
	if s.rounds == mostRounds {
		return nil
	}
	for t := range s.waiting {
		if t.share.rounds < mostOfEnvironment && (first == nil || t.compare(first) < 0) {
			first = t
		}
	}
	if first != nil {
		delete(s.waiting, first)
		s.turn++
		first.due, first.busy, first.turn, first.share.turn = false, true, s.turn, s.turn
		s.rounds, first.share.rounds = s.rounds+1, first.share.rounds+1
	}
	return first
}

// compare compares the claims of two tasks to the next round.
func (t *task) compare(other *task) int {
	return cmp.Or(cmp.Compare(t.share.rounds, other.share.rounds), cmp.Compare(t.share.turn, other.share.turn), cmp.Compare(t.turn, other.turn), cmp.Compare(t.id, other.id))
}

// end ends the round of a task, which has read the events up to read. With more, another may find something to send.
func (s *schedule) end(t *task, read uint32, more bool) {
	s.rounds, t.share.rounds = s.rounds-1, t.share.rounds-1
	t.busy, t.read = false, read
	if t.due || more {
		s.setDue(t)
	}
}
