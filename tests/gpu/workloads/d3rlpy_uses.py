"""Offline and online algorithms, Q functions, encoders, scalers, transformers, evaluation and datasets of d3rlpy."""

import tempfile
from pathlib import Path
from typing import Any

import d3rlpy
import gym
import gymnasium
import numpy as np
import torch
from d3rlpy import algos, dataset, models, optimizers, preprocessing
from d3rlpy.algos.transformer.inputs import TransformerInput
from d3rlpy.logging import CombineAdapterFactory, FileAdapterFactory, NoopAdapterFactory
from d3rlpy.metrics import evaluators
from d3rlpy.models import builders
from d3rlpy.models.torch import distributions, imitators, parameters, transformers
from torch import nn
from uses import Use, Uses

OBSERVATION, ACTION, ACTIONS, BATCH = 4, 2, 3, 16
Algorithm = Any
uses = Uses()


def flags(episodes: int, length: int) -> np.ndarray:
    ends = np.zeros(episodes * length, dtype=np.float32)
    ends[length - 1 :: length] = 1
    return ends


def observations_of(kind: str, count: int) -> Any:
    chance = np.random.default_rng(0)
    vectors = chance.standard_normal((count, OBSERVATION)).astype(np.float32)
    if kind == "pixels":
        return chance.integers(0, 255, (count, 1, 84, 84), dtype=np.uint8)
    if kind == "pair":
        return [vectors, chance.standard_normal((count, 3)).astype(np.float32)]
    return vectors


def data(discrete: bool = False, kind: str = "vectors", episodes: int = 4, length: int = 20, **more: Any) -> Any:
    chance, count = np.random.default_rng(1), episodes * length
    actions = (
        chance.integers(0, ACTIONS, (count, 1))
        if discrete
        else chance.uniform(-1, 1, (count, ACTION)).astype(np.float32)
    )
    return dataset.MDPDataset(
        observations_of(kind, count),
        actions,
        chance.standard_normal((count, 1)).astype(np.float32),
        flags(episodes, length),
        action_space=d3rlpy.ActionSpace.DISCRETE if discrete else d3rlpy.ActionSpace.CONTINUOUS,
        action_size=ACTIONS if discrete else ACTION,
        **more,
    )


def fit(algorithm: Algorithm, on: Any, steps: int = 4, **more: Any) -> None:
    algorithm.fit(
        on,
        n_steps=steps,
        n_steps_per_epoch=steps // 2,
        logger_adapter=more.pop("logger_adapter", NoopAdapterFactory()),
        show_progress=False,
        **more,
    )


def act(algorithm: Algorithm, discrete: bool = False, kind: str = "vectors") -> None:
    batch = observations_of(kind, 5)
    actions = algorithm.predict(batch)
    algorithm.sample_action(batch)
    if not isinstance(algorithm, (algos.BC, algos.DiscreteBC)):
        algorithm.predict_value(batch, actions)


# Algorithms from data

CONTINUOUS: dict[str, tuple[str, dict[str, Any]]] = {
    "BC": ("BC", {}),
    "BC stochastic": ("BC", {"policy_type": "stochastic"}),
    "DDPG": ("DDPG", {}),
    "TD3": ("TD3", {}),
    "SAC": ("SAC", {}),
    "BCQ": ("BCQ", {}),
    "BEAR": ("BEAR", {"warmup_steps": 2}),
    "BEAR gaussian": ("BEAR", {"warmup_steps": 0, "mmd_kernel": "gaussian"}),
    "CRR": ("CRR", {}),
    "CRR binary": ("CRR", {"weight_type": "binary", "advantage_type": "max", "target_update_type": "soft"}),
    "CQL": ("CQL", {}),
    "CQL backups": ("CQL", {"soft_q_backup": True, "initial_alpha": 0.5}),
    "CQL max": ("CQL", {"max_q_backup": True}),
    "CalQL": ("CalQL", {}),
    "AWAC": ("AWAC", {}),
    "PLAS": ("PLAS", {"warmup_steps": 2}),
    "PLASWithPerturbation": ("PLASWithPerturbation", {"warmup_steps": 2}),
    "PRDC": ("PRDC", {}),
    "TD3PlusBC": ("TD3PlusBC", {}),
    "IQL": ("IQL", {}),
    "ReBRAC": ("ReBRAC", {}),
}
DISCRETE: dict[str, dict[str, Any]] = {
    "DiscreteBC": {},
    "NFQ": {},
    "DQN": {"target_update_interval": 2},
    "DoubleDQN": {"target_update_interval": 2, "n_critics": 2},
    "DiscreteBCQ": {"target_update_interval": 2},
    "DiscreteBCQ unshared": {"share_encoder": False},
    "DiscreteCQL": {"target_update_interval": 2},
    "DiscreteSAC": {"target_update_interval": 2},
}


def continuous_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        kind, options = CONTINUOUS[name]
        algorithm = getattr(algos, f"{kind}Config")(batch_size=BATCH, **options).create(device=str(device))
        fit(algorithm, data())
        act(algorithm)

    return use


def discrete_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        config = getattr(algos, f"{name.split()[0]}Config")
        algorithm = config(batch_size=BATCH, **DISCRETE[name]).create(device=str(device))
        fit(algorithm, data(discrete=True))
        act(algorithm, discrete=True)

    return use


uses.add_each("continuous", CONTINUOUS, continuous_use)
uses.add_each("discrete", DISCRETE, discrete_use)


@uses.add
def random_policies(device: torch.device) -> None:
    for algorithm in (
        algos.RandomPolicyConfig().create(),
        algos.RandomPolicyConfig(distribution="normal").create(),
        algos.DiscreteRandomPolicyConfig().create(),
    ):
        algorithm.create_impl((OBSERVATION,), ACTION)
        algorithm.predict(observations_of("vectors", 4))
        algorithm.sample_action(observations_of("vectors", 4))


# Parts of algorithms

Q_FUNCTIONS = {
    "mean": lambda: models.MeanQFunctionFactory(share_encoder=True),
    "QR": lambda: models.QRQFunctionFactory(n_quantiles=8),
    "IQN": lambda: models.IQNQFunctionFactory(n_quantiles=8, n_greedy_quantiles=8, embed_size=8),
}


def q_function_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = Q_FUNCTIONS[name]()
        for config, on in (
            (algos.SACConfig(batch_size=BATCH, q_func_factory=made), data()),
            (algos.CQLConfig(batch_size=BATCH, q_func_factory=made, n_critics=3), data()),
            (algos.DQNConfig(batch_size=BATCH, q_func_factory=made, n_critics=2), data(discrete=True)),
        ):
            algorithm = config.create(device=str(device))
            fit(algorithm, on, 2)
            act(algorithm, on.dataset_info.action_space == d3rlpy.ActionSpace.DISCRETE)

    return use


uses.add_each("Q function", Q_FUNCTIONS, q_function_use)

ENCODERS = {
    "vector": lambda: models.VectorEncoderFactory([32, 32], activation="tanh", use_batch_norm=True, dropout_rate=0.2),
    "vector with layer norm": lambda: models.VectorEncoderFactory(
        [32], activation="swish", use_layer_norm=True, last_activation="relu"
    ),
    "vector without last": lambda: models.VectorEncoderFactory([32], exclude_last_activation=True),
    "SimBa": lambda: models.SimBaEncoderFactory(feature_size=16, hidden_size=32, n_blocks=2),
    "default": lambda: models.DefaultEncoderFactory(activation="relu", dropout_rate=0.1),
}


def encoder_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        made = ENCODERS[name]()
        algorithm = algos.TD3PlusBCConfig(
            batch_size=BATCH, actor_encoder_factory=made, critic_encoder_factory=made
        ).create(device=str(device))
        fit(algorithm, data(), 2)
        act(algorithm)

    return use


uses.add_each("encoder", ENCODERS, encoder_use)

OPTIMIZERS = {
    "SGD": lambda: optimizers.SGDFactory(momentum=0.9, clip_grad_norm=1.0),
    "Adam": lambda: optimizers.AdamFactory(
        weight_decay=1e-4, lr_scheduler_factory=optimizers.CosineAnnealingLRFactory(T_max=10)
    ),
    "AdamW": lambda: optimizers.AdamWFactory(
        weight_decay=1e-4, lr_scheduler_factory=optimizers.WarmupSchedulerFactory(warmup_steps=5)
    ),
    "RMSprop": lambda: optimizers.RMSpropFactory(),
}


def optimizer_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        algorithm = algos.DQNConfig(batch_size=BATCH, optim_factory=OPTIMIZERS[name]()).create(device=str(device))
        fit(algorithm, data(discrete=True))
        algorithm.reset_optimizer_states()

    return use


uses.add_each("optimizer", OPTIMIZERS, optimizer_use)

REWARDS = {
    "multiply": lambda: preprocessing.MultiplyRewardScaler(2.0),
    "clip": lambda: preprocessing.ClipRewardScaler(-1.0, 1.0),
    "min max": lambda: preprocessing.MinMaxRewardScaler(),
    "standard": lambda: preprocessing.StandardRewardScaler(),
    "return based": lambda: preprocessing.ReturnBasedRewardScaler(multiplier=10.0),
    "shift": lambda: preprocessing.ConstantShiftRewardScaler(shift=-1.0),
}
OBSERVATIONS = {
    "standard": lambda: preprocessing.StandardObservationScaler(),
    "min max": lambda: preprocessing.MinMaxObservationScaler(),
}


def reward_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        algorithm = algos.IQLConfig(batch_size=BATCH, reward_scaler=REWARDS[name]()).create(device=str(device))
        fit(algorithm, data(), 2)
        scaler = algorithm.reward_scaler
        scaler.reverse_transform(scaler.transform(torch.randn(4, 1, device=device)))
        scaler.reverse_transform_numpy(scaler.transform_numpy(np.ones((4, 1), np.float32)))

    return use


def observation_use(name: str) -> Use:
    def use(device: torch.device) -> None:
        algorithm = algos.SACConfig(
            batch_size=BATCH,
            observation_scaler=OBSERVATIONS[name](),
            action_scaler=preprocessing.MinMaxActionScaler(),
            reward_scaler=preprocessing.StandardRewardScaler(),
        ).create(device=str(device))
        fit(algorithm, data())
        act(algorithm)
        scaler = algorithm.observation_scaler
        scaler.reverse_transform(scaler.transform(torch.randn(4, OBSERVATION, device=device)))
        scaler.reverse_transform_numpy(scaler.transform_numpy(observations_of("vectors", 3)))

    return use


uses.add_each("reward scaler", REWARDS, reward_use)
uses.add_each("observation scaler", OBSERVATIONS, observation_use)


@uses.add
def pixels(device: torch.device) -> None:
    encoder = models.PixelEncoderFactory([[8, 8, 4], [8, 4, 2]], feature_size=32, use_batch_norm=True)
    algorithm = algos.DQNConfig(
        batch_size=4, encoder_factory=encoder, observation_scaler=preprocessing.PixelObservationScaler()
    ).create(device=str(device))
    frames = {
        "transition_picker": dataset.FrameStackTransitionPicker(n_frames=4),
        "trajectory_slicer": dataset.FrameStackTrajectorySlicer(n_frames=4),
    }
    on = data(True, "pixels", 2, 10, **frames)
    fit(algorithm, on, 2)
    algorithm.predict(np.zeros((2, 4, 84, 84), np.uint8))
    on.sample_trajectory_batch(2, 5)


@uses.add
def pixels_with_actions(device: torch.device) -> None:
    encoder = models.PixelEncoderFactory([[8, 8, 4], [8, 4, 2]], feature_size=32, dropout_rate=0.1)
    algorithm = algos.DDPGConfig(
        batch_size=4,
        actor_encoder_factory=encoder,
        critic_encoder_factory=encoder,
        observation_scaler=preprocessing.PixelObservationScaler(),
    ).create(device=str(device))
    fit(algorithm, data(False, "pixels", 2, 10), 2)
    act(algorithm, kind="pixels")


class PairEncoder(nn.Module):
    def __init__(self, shapes: Any, extra: int = 0) -> None:
        super().__init__()
        self.first = nn.Linear(shapes[0][0], 16)
        self.second = nn.Linear(shapes[1][0], 16)
        self.last = nn.Linear(32 + extra, 16)

    def forward(self, x: Any, *action: torch.Tensor) -> torch.Tensor:
        parts = [torch.relu(self.first(x[0])), torch.relu(self.second(x[1])), *action]
        return torch.relu(self.last(torch.cat(parts, dim=1)))


class PairEncoderFactory(models.EncoderFactory):
    def create(self, observation_shape: Any) -> PairEncoder:
        return PairEncoder(observation_shape)

    def create_with_action(self, observation_shape: Any, action_size: int, discrete_action: bool = False) -> Any:
        return PairEncoder(observation_shape, action_size)

    @staticmethod
    def get_type() -> str:
        return "pair"


@uses.add
def pairs_of_observations(device: torch.device) -> None:
    made = PairEncoderFactory()
    scaler = preprocessing.TupleObservationScaler(
        [preprocessing.StandardObservationScaler(), preprocessing.MinMaxObservationScaler()]
    )
    algorithm = algos.SACConfig(
        batch_size=BATCH, actor_encoder_factory=made, critic_encoder_factory=made, observation_scaler=scaler
    ).create(device=str(device))
    fit(algorithm, data(kind="pair"))
    act(algorithm, kind="pair")


# Transformers


def transformer_input(discrete: bool = False, length: int = 5) -> TransformerInput:
    chance = np.random.default_rng(2)
    return TransformerInput(
        observations_of("vectors", length),
        chance.integers(0, ACTIONS, (length, 1)) if discrete else np.zeros((length, ACTION), np.float32),
        np.ones((length, 1), np.float32),
        np.ones((length, 1), np.float32),
        np.arange(1, length + 1),
    )


def stateful(algorithm: Algorithm, **more: Any) -> None:
    actor = algorithm.as_stateful_wrapper(target_return=10.0, **more)
    for observation in observations_of("vectors", 4):
        actor.predict(observation, 1.0)
    actor.reset()


@uses.add
def decision_transformer(device: torch.device) -> None:
    small = {"batch_size": 8, "context_size": 6, "num_layers": 2}
    for more in ({}, {"position_encoding_type": d3rlpy.PositionEncodingType.GLOBAL, "num_heads": 2}):
        algorithm = algos.DecisionTransformerConfig(
            **small,
            **more,
            observation_scaler=preprocessing.StandardObservationScaler(),
            action_scaler=preprocessing.MinMaxActionScaler(),
            reward_scaler=preprocessing.MultiplyRewardScaler(0.1),
        ).create(device=str(device))
        fit(algorithm, data(), eval_env=Walk(), eval_target_return=5.0)
        algorithm.predict(transformer_input())
        stateful(algorithm)


@uses.add
def discrete_decision_transformer(device: torch.device) -> None:
    algorithm = algos.DiscreteDecisionTransformerConfig(
        batch_size=8,
        context_size=6,
        num_layers=2,
        optim_factory=optimizers.GPTAdamWFactory(weight_decay=0.1, betas=(0.9, 0.95), clip_grad_norm=1.0),
        encoder_factory=models.VectorEncoderFactory([32], exclude_last_activation=True),
    ).create(device=str(device))
    fit(algorithm, data(discrete=True))
    algorithm.predict(transformer_input(discrete=True))
    stateful(algorithm)
    stateful(algorithm, action_sampler=algos.GreedyTransformerActionSampler())


@uses.add
def transformer_actor_critic(device: torch.device) -> None:
    algorithm = algos.TACRConfig(batch_size=8, context_size=6, num_layers=2).create(device=str(device))
    fit(algorithm, data())
    algorithm.predict(transformer_input())
    stateful(algorithm)


@uses.add
def gato(device: torch.device) -> None:
    model = transformers.GatoTransformer(16, 8, 20, 2, 12, 2, 0.1, 0.1, 0.1, nn.Tanh()).to(device)
    tokens = torch.randint(0, 20, (2, 12), device=device)
    masks = torch.randint(0, 2, (2, 12, 1), device=device)
    positions = torch.randint(0, 8, (2, 12), device=device)
    found, _ = model(tokens, masks, positions, 1 - masks, torch.ones(2, 12, device=device))
    found.sum().backward()


@uses.add
def tokens(device: torch.device) -> None:
    for encode in (True, False):
        tokenizer = d3rlpy.tokenizers.FloatTokenizer(num_bins=20, use_mu_law_encode=encode)
        tokenizer.decode(tokenizer(np.linspace(-1, 1, 10)))


# Environments


class Walk(gymnasium.Env):
    """A short walk with continuous or discrete actions."""

    def __init__(self, discrete: bool = False) -> None:
        self.observation_space = gymnasium.spaces.Box(-1, 1, (OBSERVATION,), np.float32)
        self.action_space = (
            gymnasium.spaces.Discrete(ACTIONS) if discrete else gymnasium.spaces.Box(-1, 1, (ACTION,), np.float32)
        )
        self.steps = 0

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[np.ndarray, dict]:
        super().reset(seed=seed)
        self.steps = 0
        return self.observation_space.sample(), {}

    def step(self, action: Any) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.steps += 1
        return self.observation_space.sample(), float(np.sum(action)), self.steps >= 8, False, {}


class Screen(gym.Env):
    """Images of a game."""

    def __init__(self) -> None:
        self.observation_space = gym.spaces.Box(0, 255, (84, 84), np.uint8)
        self.action_space = gym.spaces.Discrete(ACTIONS)
        self.steps = 0

    def reset(self, **more: Any) -> tuple[np.ndarray, dict]:
        self.steps = 0
        return self.observation_space.sample(), {}

    def step(self, action: int) -> tuple[np.ndarray, float, bool, bool, dict]:
        self.steps += 1
        return self.observation_space.sample(), 1.0, self.steps >= 5, False, {}


@uses.add
def online_cartpole(device: torch.device) -> None:
    env, evaluated = gymnasium.make("CartPole-v1"), gymnasium.make("CartPole-v1", max_episode_steps=20)
    d3rlpy.envs.seed_env(env, 0)
    algorithm = algos.DQNConfig(batch_size=8, target_update_interval=10).create(device=str(device))
    algorithm.fit_online(
        env,
        d3rlpy.dataset.create_fifo_replay_buffer(limit=100, env=env),
        algos.LinearDecayEpsilonGreedy(1.0, 0.1, duration=20),
        n_steps=40,
        n_steps_per_epoch=20,
        update_start_step=15,
        update_interval=2,
        eval_env=evaluated,
        eval_epsilon=0.1,
        eval_n_trials=1,
        logger_adapter=NoopAdapterFactory(),
        show_progress=False,
    )


@uses.add
def online_pendulum(device: torch.device) -> None:
    env = gymnasium.make("Pendulum-v1", max_episode_steps=15)
    algorithm = algos.SACConfig(
        batch_size=8,
        observation_scaler=preprocessing.MinMaxObservationScaler(),
        action_scaler=preprocessing.MinMaxActionScaler(),
    ).create(device=str(device))
    algorithm.fit_online(
        env,
        n_steps=30,
        n_steps_per_epoch=15,
        update_start_step=20,
        random_steps=10,
        eval_env=gymnasium.make("Pendulum-v1", max_episode_steps=5),
        eval_n_trials=1,
        logger_adapter=NoopAdapterFactory(),
    )


@uses.add
def exploration_and_collection(device: torch.device) -> None:
    algorithm = algos.TD3Config(batch_size=8).create(device=str(device))
    collected = algorithm.collect(Walk(), explorer=algos.NormalNoise(std=0.2), n_steps=12, show_progress=False)
    algorithm.collect(Walk(), deterministic=True, n_steps=6, show_progress=False)
    collected.sample_transition_batch(4)
    discrete = algos.DoubleDQNConfig(batch_size=8).create(device=str(device))
    discrete.build_with_env(Walk(discrete=True))
    discrete.collect(Walk(discrete=True), explorer=algos.ConstantEpsilonGreedy(0.3), n_steps=12, show_progress=False)


@uses.add
def from_offline_to_online(device: torch.device) -> None:
    algorithm = algos.CalQLConfig(batch_size=8).create(device=str(device))
    offline = data()
    fit(algorithm, offline)
    buffer = d3rlpy.dataset.create_fifo_replay_buffer(100, env=Walk())
    mixed = d3rlpy.dataset.MixedReplayBuffer(buffer, offline, secondary_mix_ratio=0.5)
    algorithm.fit_online(
        Walk(),
        mixed,
        n_steps=20,
        n_steps_per_epoch=10,
        update_start_step=12,
        logger_adapter=NoopAdapterFactory(),
        show_progress=False,
    )


@uses.add
def wrappers(device: torch.device) -> None:
    env = d3rlpy.envs.FrameStack(Screen(), num_stack=4)
    algorithm = algos.DQNConfig(
        batch_size=2,
        encoder_factory=models.PixelEncoderFactory([[8, 8, 4]], feature_size=16),
        observation_scaler=preprocessing.PixelObservationScaler(),
    ).create(device=str(device))
    algorithm.build_with_env(env)
    evaluators.EnvironmentEvaluator(env, n_trials=1, epsilon=0.1)(algorithm, None)
    first = d3rlpy.envs.ChannelFirst(Screen())
    first.reset()
    first.step(0)


# Evaluation


@uses.add
def continuous_metrics(device: torch.device) -> None:
    on = data(episodes=3, length=10)
    algorithm = algos.IQLConfig(batch_size=BATCH).create(device=str(device))
    base = algos.TD3Config(batch_size=BATCH).create(device=str(device))
    base.build_with_dataset(on)
    scores = {
        "td": evaluators.TDErrorEvaluator(),
        "advantage": evaluators.DiscountedSumOfAdvantageEvaluator(),
        "value": evaluators.AverageValueEstimationEvaluator(episodes=on.episodes[:1]),
        "initial": evaluators.InitialStateValueEstimationEvaluator(),
        "soft OPC": evaluators.SoftOPCEvaluator(return_threshold=-100.0),
        "difference": evaluators.ContinuousActionDiffEvaluator(),
        "other": evaluators.CompareContinuousActionDiffEvaluator(base),
        "environment": evaluators.EnvironmentEvaluator(Walk(), n_trials=2),
    }
    fit(algorithm, on, evaluators=scores)


@uses.add
def discrete_metrics(device: torch.device) -> None:
    on = data(True, episodes=3, length=10)
    algorithm, base = (algos.DQNConfig(batch_size=BATCH).create(device=str(device)) for _ in range(2))
    base.build_with_dataset(on)
    scores = {
        "td": evaluators.TDErrorEvaluator(),
        "match": evaluators.DiscreteActionMatchEvaluator(),
        "other": evaluators.CompareDiscreteActionMatchEvaluator(base),
        "initial": evaluators.InitialStateValueEstimationEvaluator(),
    }
    fit(algorithm, on, evaluators=scores)


@uses.add
def off_policy_evaluation(device: torch.device) -> None:
    on = data()
    algorithm = algos.CQLConfig(batch_size=BATCH).create(device=str(device))
    fit(algorithm, on, 2)
    config = d3rlpy.ope.FQEConfig(batch_size=BATCH, target_update_interval=2)
    one = d3rlpy.ope.FQE(algorithm, config, device=str(device))
    fit(one, on, evaluators={"initial": evaluators.InitialStateValueEstimationEvaluator()})
    act(one)


@uses.add
def discrete_off_policy_evaluation(device: torch.device) -> None:
    on = data(True)
    algorithm = algos.DiscreteCQLConfig(batch_size=BATCH).create(device=str(device))
    fit(algorithm, on, 2)
    one = d3rlpy.ope.DiscreteFQE(
        algorithm,
        d3rlpy.ope.FQEConfig(
            batch_size=BATCH, q_func_factory=models.QRQFunctionFactory(n_quantiles=8), target_update_interval=2
        ),
        device=str(device),
    )
    fit(one, on)
    act(one, True)


# Saving and logging


@uses.add
def saving(device: torch.device) -> None:
    algorithm = algos.TD3PlusBCConfig(
        batch_size=BATCH, observation_scaler=preprocessing.StandardObservationScaler()
    ).create(device=str(device))
    fit(algorithm, data(), 2)
    with tempfile.TemporaryDirectory() as folder:
        algorithm.save(f"{folder}/algorithm.d3")
        act(d3rlpy.load_learnable(f"{folder}/algorithm.d3", device=str(device)))
        algorithm.save_model(f"{folder}/model.pt")
        algorithm.load_model(f"{folder}/model.pt")


@uses.add
def exported_policies(device: torch.device) -> None:
    algorithm = algos.SACConfig(
        batch_size=BATCH,
        observation_scaler=preprocessing.StandardObservationScaler(),
        action_scaler=preprocessing.MinMaxActionScaler(),
    ).create(device=str(device))
    fit(algorithm, data(), 2)
    transformer = algos.DecisionTransformerConfig(batch_size=4, context_size=4, num_layers=1).create(device=str(device))
    fit(transformer, data(), 2)
    with tempfile.TemporaryDirectory() as folder:
        algorithm.save_policy(f"{folder}/policy.pt")
        policy = torch.jit.load(f"{folder}/policy.pt", map_location=device)
        policy(torch.rand(3, OBSERVATION, device=device))
        transformer.save_policy(f"{folder}/transformer.pt")


@uses.add
def logs(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        algorithm = algos.DQNConfig(batch_size=BATCH).create(device=str(device))
        found = algorithm.fit(
            data(True),
            n_steps=6,
            n_steps_per_epoch=3,
            experiment_name="kept",
            with_timestamp=False,
            logger_adapter=CombineAdapterFactory([FileAdapterFactory(folder), NoopAdapterFactory()]),
            callback=lambda algorithm, epoch, step: None,
            epoch_callback=lambda algorithm, epoch, step: None,
        )
        assert len(found) == 2
        kept = Path(folder) / "kept"
        again = algos.DQN.from_json(str(kept / "params.json"), device=str(device))
        again.build_with_dataset(data(True))
        act(d3rlpy.load_learnable(str(kept / "model_6.d3"), device=str(device)), True)


@uses.add
def logs_by_steps(device: torch.device) -> None:
    with tempfile.TemporaryDirectory() as folder:
        algorithm = algos.SACConfig(batch_size=BATCH).create(device=str(device))
        fit(
            algorithm,
            data(),
            logger_adapter=FileAdapterFactory(folder),
            logging_steps=2,
            logging_strategy=d3rlpy.LoggingStrategy.STEPS,
        )


@uses.add
def transfer(device: torch.device) -> None:
    one = algos.CQLConfig(batch_size=BATCH).create(device=str(device))
    fit(one, data(), 2)
    other = algos.SACConfig(batch_size=BATCH).create(device=str(device))
    other.create_impl(one.observation_shape, one.action_size)
    other.copy_policy_from(one)
    other.copy_policy_optim_from(one)
    other.copy_q_function_from(one)
    other.copy_q_function_optim_from(one)
    other.reset_optimizer_states()
    for _, found in other.fitter(
        data(), n_steps=2, n_steps_per_epoch=1, show_progress=False, logger_adapter=NoopAdapterFactory()
    ):
        found["critic_loss"]


@uses.add
def own_loop(device: torch.device) -> None:
    on = data()
    algorithm = algos.AWACConfig(batch_size=BATCH).create(device=str(device))
    algorithm.build_with_dataset(on)
    for _ in range(3):
        losses = algorithm.update(on.sample_transition_batch(BATCH))
    losses["actor_loss"]
    algorithm.set_grad_step(0)


# Datasets


@uses.add
def buffers(device: torch.device) -> None:
    buffer = dataset.ReplayBuffer(
        dataset.FIFOBuffer(50),
        transition_picker=dataset.MultiStepTransitionPicker(n_steps=3, gamma=0.99),
        writer_preprocessor=dataset.BasicWriterPreprocess(),
        episodes=data().episodes,
    )
    for step in range(12):
        buffer.append(np.zeros(OBSERVATION, np.float32), np.zeros(ACTION, np.float32), 1.0)
        if step % 6 == 5:
            buffer.clip_episode(step == 5)
    buffer.sample_transition_batch(8)
    buffer.sample_trajectory_batch(4, 5)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "data.h5"
        with path.open("w+b") as file:
            buffer.dump(file)
        with path.open("rb") as file:
            kept = dataset.ReplayBuffer.load(file, dataset.InfiniteBuffer())
    algorithm = algos.CQLConfig(batch_size=BATCH).create(device=str(device))
    fit(algorithm, kept, 2)


@uses.add
def sparse_rewards(device: torch.device) -> None:
    on = data(transition_picker=dataset.SparseRewardTransitionPicker(failure_return=-100.0))
    fit(algos.CalQLConfig(batch_size=BATCH).create(device=str(device)), on, 2)


# Models alone


@uses.add
def networks(device: torch.device) -> None:
    encoder, where = models.VectorEncoderFactory([16]), {"device": str(device), "enable_ddp": False}
    x = torch.randn(6, OBSERVATION, device=device)
    action = torch.rand(6, ACTION, device=device)
    builders.create_deterministic_policy((OBSERVATION,), ACTION, encoder, **where)(x).squashed_mu.sum().backward()
    builders.create_normal_policy((OBSERVATION,), ACTION, encoder, **where, use_std_parameter=True)(x)
    builders.create_categorical_policy((OBSERVATION,), ACTIONS, encoder, **where)(x).sample()
    builders.create_deterministic_residual_policy((OBSERVATION,), ACTION, 0.05, encoder, **where)(x, action)
    builders.create_value_function((OBSERVATION,), encoder, **where)(x).mean().backward()
    parameters.get_parameter(builders.create_parameter((1, 1), 0.1, **where))
    encode = builders.create_vae_encoder((OBSERVATION,), ACTION, 4, encoder, **where)
    decode = builders.create_vae_decoder((OBSERVATION,), ACTION, 4, encoder, **where)
    imitators.compute_vae_error(encode, decode, x, action, 0.5).backward()
    imitators.forward_vae_sample(decode, x, 4)
    imitators.forward_vae_sample_n(decode, x, 4, 3)


@uses.add
def action_distributions(device: torch.device) -> None:
    loc, std = torch.rand(5, ACTION, device=device), torch.full((5, ACTION), 0.2, device=device)
    for one in (
        distributions.GaussianDistribution(torch.tanh(loc), std, loc),
        distributions.SquashedGaussianDistribution(loc, std),
    ):
        one.log_prob(one.sample())
        one.sample_with_log_prob()
        one.sample_without_squash()
        one.sample_n_with_log_prob(3)
        one.sample_n_without_squash(3)
        one.onnx_safe_sample_n(3)
        one.mean_with_log_prob()


if __name__ == "__main__":
    uses.main()
