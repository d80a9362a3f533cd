//! Every rule on what it should see and on what it should pass over, and all rules on garbage.

mod causes;
mod compare;
mod document;
mod garbage;
mod ledger;
mod live;
mod low_priority;
mod recorded;
mod standing;
mod steps;
mod story;
mod suspended;
mod traced;
mod verdict;
